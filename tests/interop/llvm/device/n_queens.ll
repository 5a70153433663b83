; SPDX-License-Identifier: BSL-1.0
; Compiled from n_queens.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "n_queens.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = external dso_local addrspace(3) global [0 x i32], align 4

define dso_local void @n_queens(i32* nocapture noundef writeonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %7 = mul i32 %5, %6
  %8 = add i32 %7, %4
  %9 = zext i32 %4 to i64
  %10 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %9
  %11 = addrspacecast i32 addrspace(3)* %10 to i32*
  %12 = shl i32 %6, 4
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %13
  %15 = addrspacecast i32 addrspace(3)* %14 to i32*
  %16 = getelementptr inbounds i32, i32 addrspace(3)* %14, i64 %13
  %17 = addrspacecast i32 addrspace(3)* %16 to i32*
  %18 = getelementptr inbounds i32, i32 addrspace(3)* %16, i64 %13
  %19 = addrspacecast i32 addrspace(3)* %18 to i32*
  %20 = shl nsw i32 -1, %2
  %21 = xor i32 %20, -1
  store volatile i32 %21, i32* %11, align 4, !tbaa !5
  store volatile i32 0, i32* %15, align 4, !tbaa !5
  store volatile i32 0, i32* %17, align 4, !tbaa !5
  store volatile i32 0, i32* %19, align 4, !tbaa !5
  %22 = mul i32 %2, %2
  %23 = mul i32 %22, %2
  %24 = icmp ult i32 %8, %23
  br i1 %24, label %25, label %126

25:                                               ; preds = %3, %72
  %26 = phi i32 [ %71, %72 ], [ 0, %3 ]
  %27 = phi i32 [ %29, %72 ], [ %8, %3 ]
  %28 = freeze i32 %27
  %29 = udiv i32 %28, %2
  %30 = mul i32 %29, %2
  %31 = sub i32 %28, %30
  %32 = shl nuw i32 1, %31
  %33 = mul i32 %26, %6
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %34
  %36 = addrspacecast i32 addrspace(3)* %35 to i32*
  %37 = load volatile i32, i32* %36, align 4, !tbaa !5
  %38 = and i32 %37, %32
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %70, label %40

40:                                               ; preds = %25
  %41 = getelementptr inbounds i32, i32 addrspace(3)* %14, i64 %34
  %42 = addrspacecast i32 addrspace(3)* %41 to i32*
  %43 = load volatile i32, i32* %42, align 4, !tbaa !5
  %44 = or i32 %43, %32
  %45 = shl i32 %44, 1
  %46 = getelementptr inbounds i32, i32 addrspace(3)* %16, i64 %34
  %47 = addrspacecast i32 addrspace(3)* %46 to i32*
  %48 = load volatile i32, i32* %47, align 4, !tbaa !5
  %49 = or i32 %48, %32
  %50 = lshr i32 %49, 1
  %51 = getelementptr inbounds i32, i32 addrspace(3)* %18, i64 %34
  %52 = addrspacecast i32 addrspace(3)* %51 to i32*
  %53 = load volatile i32, i32* %52, align 4, !tbaa !5
  %54 = or i32 %53, %32
  %55 = add nuw nsw i32 %26, 1
  %56 = mul i32 %55, %6
  %57 = zext i32 %56 to i64
  %58 = getelementptr inbounds i32, i32 addrspace(3)* %14, i64 %57
  %59 = addrspacecast i32 addrspace(3)* %58 to i32*
  store volatile i32 %45, i32* %59, align 4, !tbaa !5
  %60 = getelementptr inbounds i32, i32 addrspace(3)* %16, i64 %57
  %61 = addrspacecast i32 addrspace(3)* %60 to i32*
  store volatile i32 %50, i32* %61, align 4, !tbaa !5
  %62 = getelementptr inbounds i32, i32 addrspace(3)* %18, i64 %57
  %63 = addrspacecast i32 addrspace(3)* %62 to i32*
  store volatile i32 %54, i32* %63, align 4, !tbaa !5
  %64 = or i32 %50, %45
  %65 = or i32 %64, %54
  %66 = xor i32 %65, -1
  %67 = and i32 %66, %21
  %68 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %57
  %69 = addrspacecast i32 addrspace(3)* %68 to i32*
  store volatile i32 %67, i32* %69, align 4, !tbaa !5
  br label %70

70:                                               ; preds = %25, %40
  %71 = phi i32 [ %55, %40 ], [ %26, %25 ]
  br i1 %39, label %126, label %72

72:                                               ; preds = %70
  %73 = icmp ult i32 %71, 3
  br i1 %73, label %25, label %74, !llvm.loop !9

74:                                               ; preds = %72, %122
  %75 = phi i32 [ %124, %122 ], [ 0, %72 ]
  %76 = phi i32 [ %123, %122 ], [ 3, %72 ]
  %77 = mul i32 %76, %6
  %78 = zext i32 %77 to i64
  %79 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %78
  %80 = addrspacecast i32 addrspace(3)* %79 to i32*
  %81 = load volatile i32, i32* %80, align 4, !tbaa !5
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %83, label %85

83:                                               ; preds = %74
  %84 = add i32 %76, -1
  br label %122

85:                                               ; preds = %74
  %86 = sub i32 0, %81
  %87 = and i32 %81, %86
  %88 = xor i32 %87, %81
  store volatile i32 %88, i32* %80, align 4, !tbaa !5
  %89 = add i32 %76, 1
  %90 = icmp eq i32 %89, %2
  br i1 %90, label %91, label %93

91:                                               ; preds = %85
  %92 = add i32 %75, 1
  br label %122

93:                                               ; preds = %85
  %94 = getelementptr inbounds i32, i32 addrspace(3)* %14, i64 %78
  %95 = addrspacecast i32 addrspace(3)* %94 to i32*
  %96 = load volatile i32, i32* %95, align 4, !tbaa !5
  %97 = or i32 %96, %87
  %98 = shl i32 %97, 1
  %99 = getelementptr inbounds i32, i32 addrspace(3)* %16, i64 %78
  %100 = addrspacecast i32 addrspace(3)* %99 to i32*
  %101 = load volatile i32, i32* %100, align 4, !tbaa !5
  %102 = or i32 %101, %87
  %103 = lshr i32 %102, 1
  %104 = getelementptr inbounds i32, i32 addrspace(3)* %18, i64 %78
  %105 = addrspacecast i32 addrspace(3)* %104 to i32*
  %106 = load volatile i32, i32* %105, align 4, !tbaa !5
  %107 = or i32 %106, %87
  %108 = mul i32 %89, %6
  %109 = zext i32 %108 to i64
  %110 = getelementptr inbounds i32, i32 addrspace(3)* %14, i64 %109
  %111 = addrspacecast i32 addrspace(3)* %110 to i32*
  store volatile i32 %98, i32* %111, align 4, !tbaa !5
  %112 = getelementptr inbounds i32, i32 addrspace(3)* %16, i64 %109
  %113 = addrspacecast i32 addrspace(3)* %112 to i32*
  store volatile i32 %103, i32* %113, align 4, !tbaa !5
  %114 = getelementptr inbounds i32, i32 addrspace(3)* %18, i64 %109
  %115 = addrspacecast i32 addrspace(3)* %114 to i32*
  store volatile i32 %107, i32* %115, align 4, !tbaa !5
  %116 = or i32 %103, %98
  %117 = or i32 %116, %107
  %118 = xor i32 %117, -1
  %119 = and i32 %118, %21
  %120 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %109
  %121 = addrspacecast i32 addrspace(3)* %120 to i32*
  store volatile i32 %119, i32* %121, align 4, !tbaa !5
  br label %122

122:                                              ; preds = %91, %93, %83
  %123 = phi i32 [ %84, %83 ], [ %76, %91 ], [ %89, %93 ]
  %124 = phi i32 [ %75, %83 ], [ %92, %91 ], [ %75, %93 ]
  %125 = icmp ugt i32 %123, 2
  br i1 %125, label %74, label %126, !llvm.loop !12

126:                                              ; preds = %70, %122, %3
  %127 = phi i32 [ 0, %3 ], [ %124, %122 ], [ 0, %70 ]
  %128 = zext i32 %8 to i64
  %129 = getelementptr inbounds i32, i32* %0, i64 %128
  store i32 %127, i32* %129, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  store i32 %127, i32* %11, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %130 = icmp ult i32 %6, 2
  br i1 %130, label %131, label %133

131:                                              ; preds = %145, %126
  %132 = icmp eq i32 %4, 0
  br i1 %132, label %147, label %151

133:                                              ; preds = %126, %145
  %134 = phi i32 [ %135, %145 ], [ %6, %126 ]
  %135 = lshr i32 %134, 1
  %136 = icmp ult i32 %4, %135
  br i1 %136, label %137, label %145

137:                                              ; preds = %133
  %138 = add i32 %135, %4
  %139 = zext i32 %138 to i64
  %140 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %139
  %141 = addrspacecast i32 addrspace(3)* %140 to i32*
  %142 = load i32, i32* %141, align 4, !tbaa !5
  %143 = load i32, i32* %11, align 4, !tbaa !5
  %144 = add i32 %143, %142
  store i32 %144, i32* %11, align 4, !tbaa !5
  br label %145

145:                                              ; preds = %137, %133
  tail call void @llvm.nvvm.barrier0()
  %146 = icmp ult i32 %134, 4
  br i1 %146, label %131, label %133, !llvm.loop !13

147:                                              ; preds = %131
  %148 = zext i32 %5 to i64
  %149 = getelementptr inbounds i32, i32* %1, i64 %148
  %150 = load i32, i32* getelementptr inbounds ([0 x i32], [0 x i32]* addrspacecast ([0 x i32] addrspace(3)* @shared to [0 x i32]*), i64 0, i64 0), align 4, !tbaa !5
  store i32 %150, i32* %149, align 4, !tbaa !5
  br label %151

151:                                              ; preds = %147, %131
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32)* @n_queens, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10}
