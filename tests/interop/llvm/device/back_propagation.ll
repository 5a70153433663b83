; SPDX-License-Identifier: BSL-1.0
; Compiled from back_propagation.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "back_propagation.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ16back_propagationE5input = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4
@_ZZ16back_propagationE7product = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

define dso_local void @back_propagation(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, float* nocapture noundef %2, float* nocapture noundef %3, float* nocapture noundef writeonly %4, float noundef %5, float noundef %6) local_unnamed_addr #0 {
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %11 = shl i32 %10, 4
  %12 = add i32 %11, %9
  %13 = shl i32 %12, 4
  %14 = add i32 %13, %8
  %15 = icmp eq i32 %8, 0
  %16 = zext i32 %9 to i64
  br i1 %15, label %17, label %23

17:                                               ; preds = %7
  %18 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ16back_propagationE5input, i64 0, i64 %16
  %19 = addrspacecast float addrspace(3)* %18 to float*
  %20 = zext i32 %12 to i64
  %21 = getelementptr inbounds float, float* %0, i64 %20
  %22 = load float, float* %21, align 4, !tbaa !5
  store float %22, float* %19, align 4, !tbaa !5
  br label %23

23:                                               ; preds = %7, %17
  tail call void @llvm.nvvm.barrier0()
  %24 = zext i32 %14 to i64
  %25 = getelementptr inbounds float, float* %2, i64 %24
  %26 = load float, float* %25, align 4, !tbaa !5
  %27 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ16back_propagationE5input, i64 0, i64 %16
  %28 = addrspacecast float addrspace(3)* %27 to float*
  %29 = load float, float* %28, align 4, !tbaa !5
  %30 = fmul float %26, %29
  %31 = zext i32 %8 to i64
  %32 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ16back_propagationE7product, i64 0, i64 %16, i64 %31
  %33 = addrspacecast float addrspace(3)* %32 to float*
  store float %30, float* %33, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  br label %36

34:                                               ; preds = %49
  %35 = icmp eq i32 %9, 0
  br i1 %35, label %52, label %59

36:                                               ; preds = %23, %49
  %37 = phi float [ %30, %23 ], [ %50, %49 ]
  %38 = phi i32 [ 1, %23 ], [ %39, %49 ]
  %39 = shl nuw nsw i32 %38, 1
  %40 = urem i32 %9, %39
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %42, label %49

42:                                               ; preds = %36
  %43 = add i32 %38, %9
  %44 = zext i32 %43 to i64
  %45 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ16back_propagationE7product, i64 0, i64 %44, i64 %31
  %46 = addrspacecast float addrspace(3)* %45 to float*
  %47 = load float, float* %46, align 4, !tbaa !5
  %48 = fadd contract float %47, %37
  store float %48, float* %33, align 4, !tbaa !5
  br label %49

49:                                               ; preds = %42, %36
  %50 = phi float [ %48, %42 ], [ %37, %36 ]
  tail call void @llvm.nvvm.barrier0()
  %51 = icmp ult i32 %38, 8
  br i1 %51, label %36, label %34, !llvm.loop !9

52:                                               ; preds = %34
  %53 = add i32 %11, %8
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds float, float* %4, i64 %54
  %56 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ16back_propagationE7product, i64 0, i64 0, i64 %31
  %57 = addrspacecast float addrspace(3)* %56 to float*
  %58 = load float, float* %57, align 4, !tbaa !5
  store float %58, float* %55, align 4, !tbaa !5
  br label %59

59:                                               ; preds = %52, %34
  %60 = getelementptr inbounds float, float* %1, i64 %31
  %61 = load float, float* %60, align 4, !tbaa !5
  %62 = fmul float %61, %5
  %63 = fmul float %29, %62
  %64 = getelementptr inbounds float, float* %3, i64 %24
  %65 = load float, float* %64, align 4, !tbaa !5
  %66 = tail call contract float @llvm.fma.f32(float %6, float %65, float %63) #4
  %67 = fadd contract float %26, %66
  store float %67, float* %25, align 4, !tbaa !5
  store float %66, float* %64, align 4, !tbaa !5
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, float*, float*, float, float)* @back_propagation, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
