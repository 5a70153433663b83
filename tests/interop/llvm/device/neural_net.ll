; SPDX-License-Identifier: BSL-1.0
; Compiled from neural_net.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "neural_net.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ10neural_netE6neuron = internal unnamed_addr addrspace(3) global [96 x float] undef, align 4

define dso_local void @neural_net(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, float* nocapture noundef readonly %2, float* nocapture noundef writeonly %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %7 = mul i32 %6, 81
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds float, float* %0, i64 %8
  %10 = lshr i32 %5, 2
  %11 = mul i32 %10, 9
  %12 = and i32 %5, 3
  %13 = add i32 %11, %12
  %14 = shl i32 %13, 1
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds float, float* %9, i64 %15
  br label %18

17:                                               ; preds = %30
  tail call void @llvm.nvvm.barrier0()
  br label %66

18:                                               ; preds = %4, %30
  %19 = phi i32 [ 0, %4 ], [ %39, %30 ]
  %20 = mul nuw nsw i32 %19, 10
  %21 = zext i32 %20 to i64
  %22 = getelementptr inbounds float, float* %1, i64 %21
  %23 = getelementptr inbounds float, float* %22, i64 9
  %24 = load float, float* %23, align 4, !tbaa !5
  br label %25

25:                                               ; preds = %18, %41
  %26 = phi i32 [ 0, %18 ], [ %42, %41 ]
  %27 = phi float [ %24, %18 ], [ %55, %41 ]
  %28 = mul nuw nsw i32 %26, 3
  %29 = mul nuw nsw i32 %26, 9
  br label %44

30:                                               ; preds = %41
  %31 = tail call contract float @llvm.fabs.f32(float %55) #4
  %32 = fadd contract float %31, 1.000000e+00
  %33 = fdiv contract float %55, %32
  %34 = shl i32 %19, 4
  %35 = add i32 %34, %5
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds [96 x float], [96 x float] addrspace(3)* @_ZZ10neural_netE6neuron, i64 0, i64 %36
  %38 = addrspacecast float addrspace(3)* %37 to float*
  store float %33, float* %38, align 4, !tbaa !5
  %39 = add nuw nsw i32 %19, 1
  %40 = icmp eq i32 %39, 6
  br i1 %40, label %17, label %18, !llvm.loop !9

41:                                               ; preds = %44
  %42 = add nuw nsw i32 %26, 1
  %43 = icmp eq i32 %42, 3
  br i1 %43, label %30, label %25, !llvm.loop !12

44:                                               ; preds = %25, %44
  %45 = phi i32 [ 0, %25 ], [ %56, %44 ]
  %46 = phi float [ %27, %25 ], [ %55, %44 ]
  %47 = add nuw nsw i32 %45, %28
  %48 = zext i32 %47 to i64
  %49 = getelementptr inbounds float, float* %22, i64 %48
  %50 = load float, float* %49, align 4, !tbaa !5
  %51 = add nuw nsw i32 %45, %29
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds float, float* %16, i64 %52
  %54 = load float, float* %53, align 4, !tbaa !5
  %55 = tail call contract float @llvm.fma.f32(float %50, float %54, float %46) #4
  %56 = add nuw nsw i32 %45, 1
  %57 = icmp eq i32 %56, 3
  br i1 %57, label %41, label %44, !llvm.loop !13

58:                                               ; preds = %66
  %59 = tail call contract float @llvm.fabs.f32(float %78) #4
  %60 = fadd contract float %59, 1.000000e+00
  %61 = fdiv contract float %78, %60
  %62 = shl i32 %6, 4
  %63 = add i32 %62, %5
  %64 = zext i32 %63 to i64
  %65 = getelementptr inbounds float, float* %3, i64 %64
  store float %61, float* %65, align 4, !tbaa !5
  ret void

66:                                               ; preds = %17, %66
  %67 = phi i32 [ 0, %17 ], [ %79, %66 ]
  %68 = phi float [ 0.000000e+00, %17 ], [ %78, %66 ]
  %69 = zext i32 %67 to i64
  %70 = getelementptr inbounds [96 x float], [96 x float] addrspace(3)* @_ZZ10neural_netE6neuron, i64 0, i64 %69
  %71 = addrspacecast float addrspace(3)* %70 to float*
  %72 = load float, float* %71, align 4, !tbaa !5
  %73 = shl nuw nsw i32 %67, 4
  %74 = add i32 %73, %5
  %75 = zext i32 %74 to i64
  %76 = getelementptr inbounds float, float* %2, i64 %75
  %77 = load float, float* %76, align 4, !tbaa !5
  %78 = tail call contract float @llvm.fma.f32(float %72, float %77, float %68) #4
  %79 = add nuw nsw i32 %67, 1
  %80 = icmp eq i32 %79, 96
  br i1 %80, label %58, label %66, !llvm.loop !14
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

declare float @llvm.fabs.f32(float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, float*)* @neural_net, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
!14 = distinct !{!14, !10, !11}
