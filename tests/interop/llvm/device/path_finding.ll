; SPDX-License-Identifier: BSL-1.0
; Compiled from path_finding.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "path_finding.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.int2 = type { i32, i32 }

define dso_local void @path_finding(%struct.int2* nocapture noundef readonly %0, %struct.int2* nocapture noundef readonly %1, %struct.int2* nocapture noundef readonly %2, %struct.int2* nocapture noundef readonly %3, %struct.int2* nocapture noundef writeonly %4, i32* nocapture noundef writeonly %5, i32* nocapture noundef writeonly %6, i32 noundef %7, i32 noundef %8) local_unnamed_addr #0 {
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %12 = mul i32 %10, %11
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %14 = add i32 %12, %13
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds %struct.int2, %struct.int2* %3, i64 %15, i32 0
  %17 = load i32, i32* %16, align 8, !tbaa.struct !5
  %18 = getelementptr inbounds %struct.int2, %struct.int2* %3, i64 %15, i32 1
  %19 = load i32, i32* %18, align 4, !tbaa.struct !10
  %20 = getelementptr inbounds %struct.int2, %struct.int2* %2, i64 %15, i32 0
  %21 = load i32, i32* %20, align 8, !tbaa !11
  %22 = getelementptr inbounds %struct.int2, %struct.int2* %2, i64 %15, i32 1
  %23 = load i32, i32* %22, align 4, !tbaa !13
  %24 = icmp eq i32 %8, 0
  br i1 %24, label %135, label %25

25:                                               ; preds = %9
  %26 = icmp eq i32 %7, 0
  br label %27

27:                                               ; preds = %25, %130
  %28 = phi i32 [ %21, %25 ], [ %131, %130 ]
  %29 = phi i32 [ %23, %25 ], [ %132, %130 ]
  %30 = phi i32 [ 0, %25 ], [ %127, %130 ]
  %31 = phi i32 [ 0, %25 ], [ %133, %130 ]
  %32 = icmp eq i32 %17, %28
  %33 = icmp eq i32 %29, %19
  %34 = select i1 %32, i1 %33, i1 false
  br i1 %34, label %147, label %35

35:                                               ; preds = %27
  %36 = icmp sgt i32 %17, %28
  %37 = icmp slt i32 %17, %28
  %38 = sext i1 %37 to i32
  %39 = icmp sgt i32 %19, %29
  %40 = icmp slt i32 %19, %29
  %41 = sext i1 %40 to i32
  %42 = select i1 %36, i32 2, i32 1
  %43 = add nsw i32 %42, %38
  %44 = select i1 %39, i32 2, i32 1
  %45 = add nsw i32 %44, %41
  br label %48

46:                                               ; preds = %123
  %47 = icmp eq i32 %126, 1000000
  br i1 %47, label %141, label %130

48:                                               ; preds = %35, %123
  %49 = phi i32 [ %30, %35 ], [ %127, %123 ]
  %50 = phi i32 [ 1000000, %35 ], [ %126, %123 ]
  %51 = phi i32 [ 0, %35 ], [ %125, %123 ]
  %52 = phi i32 [ 0, %35 ], [ %124, %123 ]
  %53 = phi i32 [ 0, %35 ], [ %128, %123 ]
  %54 = trunc i32 %53 to i8
  %55 = freeze i8 %54
  %56 = udiv i8 %55, 3
  %57 = mul i8 %56, 3
  %58 = sub i8 %55, %57
  %59 = zext i8 %58 to i32
  %60 = add nsw i32 %43, %59
  %61 = srem i32 %60, 3
  %62 = add nsw i32 %61, -1
  %63 = zext i8 %56 to i32
  %64 = add nsw i32 %45, %63
  %65 = srem i32 %64, 3
  %66 = add nsw i32 %65, -1
  %67 = add i32 %62, %28
  %68 = sub i32 %17, %67
  %69 = tail call i32 @llvm.abs.i32(i32 %68, i1 true) #3
  %70 = add i32 %66, %29
  %71 = sub i32 %19, %70
  %72 = tail call i32 @llvm.abs.i32(i32 %71, i1 true) #3
  %73 = add nuw nsw i32 %69, %72
  %74 = shl nsw i32 %73, 2
  %75 = icmp ult i32 %74, %50
  br i1 %75, label %76, label %123

76:                                               ; preds = %48
  br i1 %26, label %117, label %77

77:                                               ; preds = %76, %114
  %78 = phi i32 [ %113, %114 ], [ %49, %76 ]
  %79 = phi i32 [ %115, %114 ], [ 0, %76 ]
  %80 = phi i32 [ %112, %114 ], [ %74, %76 ]
  %81 = zext i32 %79 to i64
  %82 = getelementptr inbounds %struct.int2, %struct.int2* %0, i64 %81, i32 0
  %83 = load i32, i32* %82, align 8, !tbaa !11
  %84 = getelementptr inbounds %struct.int2, %struct.int2* %1, i64 %81, i32 0
  %85 = load i32, i32* %84, align 8, !tbaa !11
  %86 = mul nsw i32 %85, %31
  %87 = sub i32 %83, %67
  %88 = add i32 %87, %86
  %89 = tail call i32 @llvm.abs.i32(i32 %88, i1 true) #3
  %90 = getelementptr inbounds %struct.int2, %struct.int2* %0, i64 %81, i32 1
  %91 = load i32, i32* %90, align 4, !tbaa !13
  %92 = getelementptr inbounds %struct.int2, %struct.int2* %1, i64 %81, i32 1
  %93 = load i32, i32* %92, align 4, !tbaa !13
  %94 = mul nsw i32 %93, %31
  %95 = sub i32 %91, %70
  %96 = add i32 %95, %94
  %97 = tail call i32 @llvm.abs.i32(i32 %96, i1 true) #3
  %98 = icmp ugt i32 %89, %97
  %99 = select i1 %98, i32 %89, i32 %97
  %100 = icmp ugt i32 %99, 1
  br i1 %100, label %110, label %101

101:                                              ; preds = %77
  %102 = add nuw nsw i32 %97, %89
  %103 = icmp eq i32 %102, 0
  br i1 %103, label %110, label %104

104:                                              ; preds = %101
  %105 = add i32 %78, 1
  %106 = udiv i32 8, %102
  %107 = add i32 %106, %80
  %108 = icmp ult i32 %107, %50
  %109 = select i1 %108, i32 0, i32 12
  br label %110

110:                                              ; preds = %104, %101, %77
  %111 = phi i32 [ 11, %77 ], [ 12, %101 ], [ %109, %104 ]
  %112 = phi i32 [ %80, %77 ], [ %80, %101 ], [ %107, %104 ]
  %113 = phi i32 [ %78, %77 ], [ %78, %101 ], [ %105, %104 ]
  switch i32 %111, label %117 [
    i32 0, label %114
    i32 11, label %114
  ]

114:                                              ; preds = %110, %110
  %115 = add nuw i32 %79, 1
  %116 = icmp eq i32 %115, %7
  br i1 %116, label %117, label %77, !llvm.loop !14

117:                                              ; preds = %110, %114, %76
  %118 = phi i32 [ 9, %76 ], [ %111, %110 ], [ 9, %114 ]
  %119 = phi i32 [ %74, %76 ], [ %112, %114 ], [ %112, %110 ]
  %120 = phi i32 [ %49, %76 ], [ %113, %114 ], [ %113, %110 ]
  %121 = icmp eq i32 %118, 9
  br i1 %121, label %122, label %123

122:                                              ; preds = %117
  br label %123

123:                                              ; preds = %117, %122, %48
  %124 = phi i32 [ %52, %48 ], [ %52, %117 ], [ %66, %122 ]
  %125 = phi i32 [ %51, %48 ], [ %51, %117 ], [ %62, %122 ]
  %126 = phi i32 [ %50, %48 ], [ %50, %117 ], [ %119, %122 ]
  %127 = phi i32 [ %49, %48 ], [ %120, %117 ], [ %120, %122 ]
  %128 = add nuw nsw i32 %53, 1
  %129 = icmp eq i32 %128, 9
  br i1 %129, label %46, label %48, !llvm.loop !17

130:                                              ; preds = %46
  %131 = add nsw i32 %125, %28
  %132 = add nsw i32 %124, %29
  %133 = add nuw i32 %31, 1
  %134 = icmp eq i32 %133, %8
  br i1 %134, label %135, label %27, !llvm.loop !18

135:                                              ; preds = %130, %9
  %136 = phi i32 [ 0, %9 ], [ %127, %130 ]
  %137 = phi i32 [ %23, %9 ], [ %132, %130 ]
  %138 = phi i32 [ %21, %9 ], [ %131, %130 ]
  %139 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 0
  store i32 %138, i32* %139, align 8, !tbaa.struct !5
  %140 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 1
  store i32 %137, i32* %140, align 4, !tbaa.struct !10
  br label %150

141:                                              ; preds = %46
  %142 = sub nsw i32 0, %28
  %143 = sub nsw i32 0, %29
  %144 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 0
  store i32 %142, i32* %144, align 8, !tbaa.struct !5
  %145 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 1
  store i32 %143, i32* %145, align 4, !tbaa.struct !10
  %146 = add i32 %31, 1000
  br label %150

147:                                              ; preds = %27
  %148 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 0
  store i32 %17, i32* %148, align 8, !tbaa.struct !5
  %149 = getelementptr inbounds %struct.int2, %struct.int2* %4, i64 %15, i32 1
  store i32 %19, i32* %149, align 4, !tbaa.struct !10
  br label %150

150:                                              ; preds = %147, %141, %135
  %151 = phi i32 [ %31, %147 ], [ %146, %141 ], [ %8, %135 ]
  %152 = phi i32 [ %30, %147 ], [ %127, %141 ], [ %136, %135 ]
  %153 = getelementptr inbounds i32, i32* %5, i64 %15
  store i32 %151, i32* %153, align 4, !tbaa !6
  %154 = getelementptr inbounds i32, i32* %6, i64 %15
  store i32 %152, i32* %154, align 4, !tbaa !6
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.abs.i32(i32, i1 immarg) #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (%struct.int2*, %struct.int2*, %struct.int2*, %struct.int2*, %struct.int2*, i32*, i32*, i32, i32)* @path_finding, !"kernel", i32 1}
!5 = !{i64 0, i64 4, !6, i64 4, i64 4, !6}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i64 0, i64 4, !6}
!11 = !{!12, !7, i64 0}
!12 = !{!"_ZTS4int2", !7, i64 0, !7, i64 4}
!13 = !{!12, !7, i64 4}
!14 = distinct !{!14, !15, !16}
!15 = !{!"llvm.loop.mustprogress"}
!16 = !{!"llvm.loop.unroll.count", i32 1}
!17 = distinct !{!17, !15, !16}
!18 = distinct !{!18, !15, !16}
