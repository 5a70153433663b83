; SPDX-License-Identifier: BSL-1.0
; Compiled from stream_cluster.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "stream_cluster.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ14stream_clusterE5place = internal unnamed_addr addrspace(3) global [64 x float] undef, align 4

define dso_local void @stream_cluster(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, float* nocapture noundef readonly %2, i32* nocapture noundef readonly %3, i32* nocapture noundef writeonly %4, float* nocapture noundef writeonly %5, float* nocapture noundef %6, i32 noundef %7, i32 noundef %8, i32 noundef %9) local_unnamed_addr #0 {
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #4
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4
  %13 = mul i32 %11, %12
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %15 = mul i32 %14, %12
  %16 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %17 = add i32 %15, %16
  %18 = icmp ult i32 %16, %7
  br i1 %18, label %19, label %28

19:                                               ; preds = %10
  %20 = zext i32 %16 to i64
  %21 = getelementptr inbounds [64 x float], [64 x float] addrspace(3)* @_ZZ14stream_clusterE5place, i64 0, i64 %20
  %22 = addrspacecast float addrspace(3)* %21 to float*
  %23 = mul i32 %13, %16
  %24 = add i32 %23, %8
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds float, float* %0, i64 %25
  %27 = load float, float* %26, align 4, !tbaa !5
  store float %27, float* %22, align 4, !tbaa !5
  br label %28

28:                                               ; preds = %19, %10
  tail call void @llvm.nvvm.barrier0()
  %29 = icmp eq i32 %7, 0
  br i1 %29, label %30, label %40

30:                                               ; preds = %40, %28
  %31 = phi float [ 0.000000e+00, %28 ], [ %53, %40 ]
  %32 = zext i32 %17 to i64
  %33 = getelementptr inbounds float, float* %1, i64 %32
  %34 = load float, float* %33, align 4, !tbaa !5
  %35 = fmul float %31, %34
  %36 = getelementptr inbounds float, float* %2, i64 %32
  %37 = load float, float* %36, align 4, !tbaa !5
  %38 = fsub contract float %37, %35
  %39 = fcmp contract ogt float %38, 0.000000e+00
  br i1 %39, label %56, label %59

40:                                               ; preds = %28, %40
  %41 = phi float [ %53, %40 ], [ 0.000000e+00, %28 ]
  %42 = phi i32 [ %54, %40 ], [ 0, %28 ]
  %43 = mul i32 %42, %13
  %44 = add i32 %43, %17
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds float, float* %0, i64 %45
  %47 = load float, float* %46, align 4, !tbaa !5
  %48 = zext i32 %42 to i64
  %49 = getelementptr inbounds [64 x float], [64 x float] addrspace(3)* @_ZZ14stream_clusterE5place, i64 0, i64 %48
  %50 = addrspacecast float addrspace(3)* %49 to float*
  %51 = load float, float* %50, align 4, !tbaa !5
  %52 = fsub contract float %47, %51
  %53 = tail call contract float @llvm.fma.f32(float %52, float %52, float %41) #4
  %54 = add nuw i32 %42, 1
  %55 = icmp eq i32 %54, %7
  br i1 %55, label %30, label %40, !llvm.loop !9

56:                                               ; preds = %30
  %57 = getelementptr inbounds i32, i32* %4, i64 %32
  store i32 1, i32* %57, align 4, !tbaa !12
  %58 = getelementptr inbounds float, float* %5, i64 %32
  store float %38, float* %58, align 4, !tbaa !5
  br label %68

59:                                               ; preds = %30
  %60 = mul i32 %17, %9
  %61 = getelementptr inbounds i32, i32* %3, i64 %32
  %62 = load i32, i32* %61, align 4, !tbaa !12
  %63 = add i32 %62, %60
  %64 = zext i32 %63 to i64
  %65 = getelementptr inbounds float, float* %6, i64 %64
  %66 = load float, float* %65, align 4, !tbaa !5
  %67 = fsub contract float %66, %38
  store float %67, float* %65, align 4, !tbaa !5
  br label %68

68:                                               ; preds = %59, %56
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, i32*, i32*, float*, float*, i32, i32, i32)* @stream_cluster, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = !{!13, !13, i64 0}
!13 = !{!"int", !7, i64 0}
