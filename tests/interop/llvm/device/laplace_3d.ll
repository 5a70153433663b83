; SPDX-License-Identifier: BSL-1.0
; Compiled from laplace_3d.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "laplace_3d.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ10laplace_3dE5plane = internal unnamed_addr addrspace(3) global [6 x [34 x float]] undef, align 4

define dso_local void @laplace_3d(float* nocapture noundef readonly %0, float* nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %7 = add nsw i32 %6, 1
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3
  %9 = add nsw i32 %8, 1
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %11 = shl nsw i32 %10, 5
  %12 = add nsw i32 %11, %7
  %13 = add i32 %11, %6
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3
  %15 = shl nsw i32 %14, 2
  %16 = add nsw i32 %15, %9
  %17 = add i32 %15, %8
  %18 = icmp slt i32 %13, %2
  %19 = icmp slt i32 %17, %3
  %20 = select i1 %18, i1 %19, i1 false
  %21 = mul nsw i32 %3, %2
  %22 = mul nsw i32 %17, %2
  %23 = add nsw i32 %22, %13
  br i1 %20, label %24, label %28

24:                                               ; preds = %5
  %25 = sext i32 %23 to i64
  %26 = getelementptr inbounds float, float* %0, i64 %25
  %27 = load float, float* %26, align 4, !tbaa !5
  br label %28

28:                                               ; preds = %5, %24
  %29 = phi contract float [ %27, %24 ], [ 0.000000e+00, %5 ]
  %30 = icmp sgt i32 %4, 0
  br i1 %30, label %31, label %75

31:                                               ; preds = %28
  %32 = sext i32 %9 to i64
  %33 = sext i32 %7 to i64
  %34 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %32, i64 %33
  %35 = addrspacecast float addrspace(3)* %34 to float*
  %36 = icmp eq i32 %6, 0
  %37 = icmp sgt i32 %13, 0
  %38 = select i1 %36, i1 %37, i1 false
  %39 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %32, i64 0
  %40 = addrspacecast float addrspace(3)* %39 to float*
  %41 = icmp eq i32 %7, 32
  %42 = icmp slt i32 %12, %2
  %43 = select i1 %41, i1 %42, i1 false
  %44 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %32, i64 33
  %45 = addrspacecast float addrspace(3)* %44 to float*
  %46 = icmp eq i32 %8, 0
  %47 = icmp sgt i32 %17, 0
  %48 = select i1 %46, i1 %47, i1 false
  %49 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 0, i64 %33
  %50 = addrspacecast float addrspace(3)* %49 to float*
  %51 = icmp eq i32 %9, 4
  %52 = icmp slt i32 %16, %3
  %53 = select i1 %51, i1 %52, i1 false
  %54 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 5, i64 %33
  %55 = addrspacecast float addrspace(3)* %54 to float*
  %56 = icmp slt i32 %13, 1
  %57 = icmp sge i32 %12, %2
  %58 = icmp slt i32 %17, 1
  %59 = sext i32 %6 to i64
  %60 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %32, i64 %59
  %61 = addrspacecast float addrspace(3)* %60 to float*
  %62 = add nsw i32 %6, 2
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %32, i64 %63
  %65 = addrspacecast float addrspace(3)* %64 to float*
  %66 = sext i32 %8 to i64
  %67 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %66, i64 %33
  %68 = addrspacecast float addrspace(3)* %67 to float*
  %69 = add nsw i32 %8, 2
  %70 = sext i32 %69 to i64
  %71 = getelementptr inbounds [6 x [34 x float]], [6 x [34 x float]] addrspace(3)* @_ZZ10laplace_3dE5plane, i64 0, i64 %70, i64 %33
  %72 = addrspacecast float addrspace(3)* %71 to float*
  %73 = select i1 %56, i1 true, i1 %57
  %74 = select i1 %73, i1 true, i1 %58
  br label %76

75:                                               ; preds = %138, %28
  ret void

76:                                               ; preds = %31, %138
  %77 = phi i32 [ %23, %31 ], [ %140, %138 ]
  %78 = phi i32 [ 0, %31 ], [ %139, %138 ]
  %79 = phi float [ %29, %31 ], [ %115, %138 ]
  %80 = phi float [ 0.000000e+00, %31 ], [ %79, %138 ]
  br i1 %20, label %81, label %114

81:                                               ; preds = %76
  %82 = add nuw nsw i32 %78, 1
  %83 = icmp slt i32 %82, %4
  br i1 %83, label %84, label %89

84:                                               ; preds = %81
  %85 = add nsw i32 %77, %21
  %86 = sext i32 %85 to i64
  %87 = getelementptr inbounds float, float* %0, i64 %86
  %88 = load float, float* %87, align 4, !tbaa !5
  br label %89

89:                                               ; preds = %84, %81
  %90 = phi float [ %88, %84 ], [ %79, %81 ]
  store float %79, float* %35, align 4, !tbaa !5
  br i1 %38, label %91, label %96

91:                                               ; preds = %89
  %92 = add nsw i32 %77, -1
  %93 = sext i32 %92 to i64
  %94 = getelementptr inbounds float, float* %0, i64 %93
  %95 = load float, float* %94, align 4, !tbaa !5
  store float %95, float* %40, align 4, !tbaa !5
  br label %96

96:                                               ; preds = %91, %89
  br i1 %43, label %97, label %102

97:                                               ; preds = %96
  %98 = add nsw i32 %77, 1
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds float, float* %0, i64 %99
  %101 = load float, float* %100, align 4, !tbaa !5
  store float %101, float* %45, align 4, !tbaa !5
  br label %102

102:                                              ; preds = %97, %96
  br i1 %48, label %103, label %108

103:                                              ; preds = %102
  %104 = sub nsw i32 %77, %2
  %105 = sext i32 %104 to i64
  %106 = getelementptr inbounds float, float* %0, i64 %105
  %107 = load float, float* %106, align 4, !tbaa !5
  store float %107, float* %50, align 4, !tbaa !5
  br label %108

108:                                              ; preds = %103, %102
  br i1 %53, label %109, label %114

109:                                              ; preds = %108
  %110 = add nsw i32 %77, %2
  %111 = sext i32 %110 to i64
  %112 = getelementptr inbounds float, float* %0, i64 %111
  %113 = load float, float* %112, align 4, !tbaa !5
  store float %113, float* %55, align 4, !tbaa !5
  br label %114

114:                                              ; preds = %108, %109, %76
  %115 = phi float [ %90, %109 ], [ %90, %108 ], [ %79, %76 ]
  tail call void @llvm.nvvm.barrier0()
  br i1 %20, label %116, label %138

116:                                              ; preds = %114
  br i1 %74, label %134, label %117

117:                                              ; preds = %116
  %118 = icmp ne i32 %78, 0
  %119 = select i1 %52, i1 %118, i1 false
  %120 = add nuw nsw i32 %78, 1
  %121 = icmp slt i32 %120, %4
  %122 = select i1 %119, i1 %121, i1 false
  br i1 %122, label %123, label %134

123:                                              ; preds = %117
  %124 = load float, float* %61, align 4, !tbaa !5
  %125 = load float, float* %65, align 4, !tbaa !5
  %126 = fadd contract float %124, %125
  %127 = load float, float* %68, align 4, !tbaa !5
  %128 = fadd contract float %126, %127
  %129 = load float, float* %72, align 4, !tbaa !5
  %130 = fadd contract float %128, %129
  %131 = fadd contract float %80, %130
  %132 = fadd contract float %115, %131
  %133 = fmul float %132, 0x3FC5555560000000
  br label %134

134:                                              ; preds = %116, %123, %117
  %135 = phi float [ %133, %123 ], [ %79, %117 ], [ %79, %116 ]
  %136 = sext i32 %77 to i64
  %137 = getelementptr inbounds float, float* %1, i64 %136
  store float %135, float* %137, align 4, !tbaa !5
  br label %138

138:                                              ; preds = %134, %114
  tail call void @llvm.nvvm.barrier0()
  %139 = add nuw nsw i32 %78, 1
  %140 = add nsw i32 %77, %21
  %141 = icmp eq i32 %139, %4
  br i1 %141, label %75, label %76, !llvm.loop !9
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, i32, i32, i32)* @laplace_3d, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
