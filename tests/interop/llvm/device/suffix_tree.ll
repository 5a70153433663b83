; SPDX-License-Identifier: BSL-1.0
; Compiled from suffix_tree.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "suffix_tree.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @suffix_tree(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32* nocapture noundef %3, i32* nocapture noundef writeonly %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %11 = add i32 %9, %10
  %12 = mul i32 %11, %5
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds i32, i32* %3, i64 %13
  %15 = getelementptr inbounds i32, i32* %4, i64 %13
  %16 = icmp eq i32 %5, 0
  br i1 %16, label %44, label %17

17:                                               ; preds = %6
  %18 = zext i32 %11 to i64
  %19 = getelementptr inbounds i32, i32* %2, i64 %18
  br label %21

20:                                               ; preds = %33
  br i1 %16, label %44, label %36

21:                                               ; preds = %17, %33
  %22 = phi i32 [ 0, %17 ], [ %34, %33 ]
  %23 = zext i32 %22 to i64
  %24 = getelementptr inbounds i32, i32* %14, i64 %23
  %25 = load i32, i32* %24, align 4, !tbaa !5
  %26 = icmp ugt i32 %25, 4
  br i1 %26, label %27, label %33

27:                                               ; preds = %21
  %28 = load i32, i32* %19, align 4, !tbaa !5
  %29 = add i32 %28, %22
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds i32, i32* %1, i64 %30
  %32 = load i32, i32* %31, align 4, !tbaa !5
  store i32 %32, i32* %24, align 4, !tbaa !5
  br label %33

33:                                               ; preds = %21, %27
  %34 = add nuw i32 %22, 1
  %35 = icmp eq i32 %34, %5
  br i1 %35, label %20, label %21, !llvm.loop !9

36:                                               ; preds = %20, %106
  %37 = phi i32 [ %113, %106 ], [ 0, %20 ]
  %38 = phi i32 [ %112, %106 ], [ 0, %20 ]
  %39 = phi i32 [ %111, %106 ], [ 0, %20 ]
  %40 = phi i32 [ %110, %106 ], [ 0, %20 ]
  %41 = phi i32 [ %109, %106 ], [ 0, %20 ]
  %42 = phi i32 [ %108, %106 ], [ 0, %20 ]
  %43 = phi i32 [ %107, %106 ], [ 0, %20 ]
  br label %47

44:                                               ; preds = %106, %95, %6, %20
  %45 = phi i32 [ 0, %20 ], [ 0, %6 ], [ %43, %95 ], [ %107, %106 ]
  %46 = icmp ult i32 %45, %5
  br i1 %46, label %165, label %172

47:                                               ; preds = %36, %95
  %48 = phi i32 [ %37, %36 ], [ %90, %95 ]
  %49 = phi i32 [ %38, %36 ], [ %96, %95 ]
  %50 = phi i32 [ %39, %36 ], [ %88, %95 ]
  %51 = phi i32 [ %40, %36 ], [ %87, %95 ]
  %52 = phi i32 [ %41, %36 ], [ %86, %95 ]
  %53 = phi i32 [ %42, %36 ], [ %97, %95 ]
  %54 = icmp eq i32 %49, %48
  %55 = zext i32 %53 to i64
  %56 = getelementptr inbounds i32, i32* %14, i64 %55
  %57 = load i32, i32* %56, align 4, !tbaa !5
  br i1 %54, label %58, label %85

58:                                               ; preds = %47
  %59 = icmp ugt i32 %57, 3
  br i1 %59, label %80, label %60

60:                                               ; preds = %58
  %61 = shl i32 %50, 2
  %62 = or i32 %61, 2
  %63 = lshr i32 %57, 1
  %64 = add i32 %62, %63
  %65 = zext i32 %64 to i64
  %66 = getelementptr inbounds i32, i32* %0, i64 %65
  %67 = load i32, i32* %66, align 4, !tbaa !5
  %68 = shl nuw nsw i32 %57, 4
  %69 = and i32 %68, 16
  %70 = lshr i32 %67, %69
  %71 = and i32 %70, 65535
  %72 = icmp eq i32 %71, 0
  br i1 %72, label %80, label %73

73:                                               ; preds = %60
  %74 = shl nuw nsw i32 %71, 2
  %75 = zext i32 %74 to i64
  %76 = getelementptr inbounds i32, i32* %0, i64 %75
  %77 = load i32, i32* %76, align 4, !tbaa !5
  %78 = and i32 %77, 65535
  %79 = lshr i32 %77, 16
  br label %80

80:                                               ; preds = %60, %58, %73
  %81 = phi i32 [ %71, %73 ], [ %50, %58 ], [ 0, %60 ]
  %82 = phi i32 [ %78, %73 ], [ %48, %58 ], [ %48, %60 ]
  %83 = phi i32 [ %79, %73 ], [ %48, %58 ], [ %48, %60 ]
  %84 = phi i1 [ true, %73 ], [ false, %58 ], [ false, %60 ]
  br i1 %84, label %85, label %99

85:                                               ; preds = %47, %80
  %86 = phi i32 [ %50, %80 ], [ %52, %47 ]
  %87 = phi i32 [ %53, %80 ], [ %51, %47 ]
  %88 = phi i32 [ %81, %80 ], [ %50, %47 ]
  %89 = phi i32 [ %82, %80 ], [ %49, %47 ]
  %90 = phi i32 [ %83, %80 ], [ %48, %47 ]
  %91 = zext i32 %89 to i64
  %92 = getelementptr inbounds i32, i32* %1, i64 %91
  %93 = load i32, i32* %92, align 4, !tbaa !5
  %94 = icmp eq i32 %93, %57
  br i1 %94, label %95, label %115

95:                                               ; preds = %85
  %96 = add i32 %89, 1
  %97 = add i32 %53, 1
  %98 = icmp eq i32 %97, %5
  br i1 %98, label %44, label %47

99:                                               ; preds = %80
  %100 = icmp eq i32 %50, 0
  br i1 %100, label %101, label %115

101:                                              ; preds = %99
  %102 = zext i32 %43 to i64
  %103 = getelementptr inbounds i32, i32* %15, i64 %102
  store i32 0, i32* %103, align 4, !tbaa !5
  %104 = add i32 %43, 1
  %105 = add i32 %53, 1
  br label %106

106:                                              ; preds = %134, %130, %101, %163
  %107 = phi i32 [ %122, %163 ], [ %104, %101 ], [ %122, %130 ], [ %122, %134 ]
  %108 = phi i32 [ %53, %163 ], [ %105, %101 ], [ %53, %130 ], [ %53, %134 ]
  %109 = phi i32 [ %138, %163 ], [ 0, %101 ], [ %131, %130 ], [ %152, %134 ]
  %110 = phi i32 [ %137, %163 ], [ %53, %101 ], [ %53, %130 ], [ %53, %134 ]
  %111 = phi i32 [ %152, %163 ], [ 0, %101 ], [ %131, %130 ], [ %152, %134 ]
  %112 = phi i32 [ %164, %163 ], [ %82, %101 ], [ %118, %130 ], [ %158, %134 ]
  %113 = phi i32 [ %158, %163 ], [ %83, %101 ], [ %118, %130 ], [ %158, %134 ]
  %114 = icmp eq i32 %108, %5
  br i1 %114, label %44, label %36

115:                                              ; preds = %85, %99
  %116 = phi i32 [ %50, %99 ], [ %86, %85 ]
  %117 = phi i32 [ %53, %99 ], [ %87, %85 ]
  %118 = phi i32 [ %83, %99 ], [ %90, %85 ]
  %119 = sub i32 %53, %43
  %120 = zext i32 %43 to i64
  %121 = getelementptr inbounds i32, i32* %15, i64 %120
  store i32 %119, i32* %121, align 4, !tbaa !5
  %122 = add i32 %43, 1
  %123 = icmp eq i32 %116, 0
  br i1 %123, label %130, label %124

124:                                              ; preds = %115
  %125 = shl i32 %116, 2
  %126 = or i32 %125, 1
  %127 = zext i32 %126 to i64
  %128 = getelementptr inbounds i32, i32* %0, i64 %127
  %129 = load i32, i32* %128, align 4, !tbaa !5
  br label %130

130:                                              ; preds = %115, %124
  %131 = phi i32 [ %129, %124 ], [ 0, %115 ]
  %132 = phi i32 [ %117, %124 ], [ %122, %115 ]
  %133 = icmp eq i32 %53, %132
  br i1 %133, label %106, label %136

134:                                              ; preds = %136
  %135 = icmp eq i32 %53, %162
  br i1 %135, label %106, label %136

136:                                              ; preds = %130, %134
  %137 = phi i32 [ %162, %134 ], [ %132, %130 ]
  %138 = phi i32 [ %152, %134 ], [ %131, %130 ]
  %139 = shl i32 %138, 2
  %140 = or i32 %139, 2
  %141 = zext i32 %137 to i64
  %142 = getelementptr inbounds i32, i32* %14, i64 %141
  %143 = load i32, i32* %142, align 4, !tbaa !5
  %144 = lshr i32 %143, 1
  %145 = add i32 %140, %144
  %146 = zext i32 %145 to i64
  %147 = getelementptr inbounds i32, i32* %0, i64 %146
  %148 = load i32, i32* %147, align 4, !tbaa !5
  %149 = shl i32 %143, 4
  %150 = and i32 %149, 16
  %151 = lshr i32 %148, %150
  %152 = and i32 %151, 65535
  %153 = shl nuw nsw i32 %152, 2
  %154 = zext i32 %153 to i64
  %155 = getelementptr inbounds i32, i32* %0, i64 %154
  %156 = load i32, i32* %155, align 4, !tbaa !5
  %157 = and i32 %156, 65535
  %158 = lshr i32 %156, 16
  %159 = sub i32 %53, %137
  %160 = sub nsw i32 %158, %157
  %161 = icmp ult i32 %159, %160
  %162 = add i32 %160, %137
  br i1 %161, label %163, label %134

163:                                              ; preds = %136
  %164 = add i32 %157, %159
  br label %106

165:                                              ; preds = %44, %165
  %166 = phi i32 [ %170, %165 ], [ %45, %44 ]
  %167 = sub i32 %5, %166
  %168 = zext i32 %166 to i64
  %169 = getelementptr inbounds i32, i32* %15, i64 %168
  store i32 %167, i32* %169, align 4, !tbaa !5
  %170 = add nuw i32 %166, 1
  %171 = icmp eq i32 %170, %5
  br i1 %171, label %172, label %165, !llvm.loop !12

172:                                              ; preds = %165, %44
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32*, i32)* @suffix_tree, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
