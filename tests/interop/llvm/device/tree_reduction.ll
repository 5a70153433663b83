; SPDX-License-Identifier: BSL-1.0
; Compiled from tree_reduction.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "tree_reduction.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ14tree_reductionE4tile = internal unnamed_addr addrspace(3) global [256 x float] undef, align 4

define dso_local void @tree_reduction(float* nocapture noundef readonly %0, float* nocapture noundef writeonly %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %7 = mul i32 %5, %6
  %8 = add i32 %7, %4
  %9 = icmp ult i32 %8, %2
  br i1 %9, label %10, label %13

10:                                               ; preds = %3
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3
  %12 = mul i32 %11, %6
  br label %19

13:                                               ; preds = %19, %3
  %14 = phi float [ 0.000000e+00, %3 ], [ %25, %19 ]
  %15 = zext i32 %4 to i64
  %16 = getelementptr inbounds [256 x float], [256 x float] addrspace(3)* @_ZZ14tree_reductionE4tile, i64 0, i64 %15
  %17 = addrspacecast float addrspace(3)* %16 to float*
  store float %14, float* %17, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %18 = icmp ult i32 %6, 2
  br i1 %18, label %28, label %30

19:                                               ; preds = %10, %19
  %20 = phi i32 [ %8, %10 ], [ %26, %19 ]
  %21 = phi float [ 0.000000e+00, %10 ], [ %25, %19 ]
  %22 = zext i32 %20 to i64
  %23 = getelementptr inbounds float, float* %0, i64 %22
  %24 = load float, float* %23, align 4, !tbaa !5
  %25 = fadd contract float %21, %24
  %26 = add i32 %20, %12
  %27 = icmp ult i32 %26, %2
  br i1 %27, label %19, label %13, !llvm.loop !9

28:                                               ; preds = %42, %13
  %29 = icmp eq i32 %4, 0
  br i1 %29, label %45, label %49

30:                                               ; preds = %13, %42
  %31 = phi float [ %43, %42 ], [ %14, %13 ]
  %32 = phi i32 [ %33, %42 ], [ %6, %13 ]
  %33 = lshr i32 %32, 1
  %34 = icmp ult i32 %4, %33
  br i1 %34, label %35, label %42

35:                                               ; preds = %30
  %36 = add i32 %33, %4
  %37 = zext i32 %36 to i64
  %38 = getelementptr inbounds [256 x float], [256 x float] addrspace(3)* @_ZZ14tree_reductionE4tile, i64 0, i64 %37
  %39 = addrspacecast float addrspace(3)* %38 to float*
  %40 = load float, float* %39, align 4, !tbaa !5
  %41 = fadd contract float %40, %31
  store float %41, float* %17, align 4, !tbaa !5
  br label %42

42:                                               ; preds = %35, %30
  %43 = phi float [ %41, %35 ], [ %31, %30 ]
  tail call void @llvm.nvvm.barrier0()
  %44 = icmp ult i32 %32, 4
  br i1 %44, label %28, label %30, !llvm.loop !12

45:                                               ; preds = %28
  %46 = zext i32 %5 to i64
  %47 = getelementptr inbounds float, float* %1, i64 %46
  %48 = load float, float* getelementptr inbounds ([256 x float], [256 x float]* addrspacecast ([256 x float] addrspace(3)* @_ZZ14tree_reductionE4tile to [256 x float]*), i64 0, i64 0), align 4, !tbaa !5
  store float %48, float* %47, align 4, !tbaa !5
  br label %49

49:                                               ; preds = %45, %28
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, i32)* @tree_reduction, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
