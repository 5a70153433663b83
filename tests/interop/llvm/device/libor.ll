; SPDX-License-Identifier: BSL-1.0
; Compiled from libor.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "libor.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @libor(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, float* nocapture noundef readonly %2, i32* nocapture noundef readonly %3, float* nocapture noundef readonly %4, float* nocapture noundef writeonly %5, float noundef %6) local_unnamed_addr #0 {
  %8 = alloca [20 x float], align 4
  %9 = alloca [20 x float], align 4
  %10 = alloca [20 x float], align 4
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #5
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #5
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #5
  %14 = bitcast [20 x float]* %8 to i8*
  call void @llvm.lifetime.start.p0i8(i64 80, i8* nonnull %14) #5
  %15 = bitcast [20 x float]* %9 to i8*
  call void @llvm.lifetime.start.p0i8(i64 80, i8* nonnull %15) #5
  %16 = bitcast [20 x float]* %10 to i8*
  call void @llvm.lifetime.start.p0i8(i64 80, i8* nonnull %16) #5
  br label %23

17:                                               ; preds = %23
  %18 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #5
  %19 = mul i32 %18, %11
  %20 = add i32 %19, %12
  %21 = mul i32 %13, %11
  %22 = tail call float @llvm.sqrt.f32(float %6) #5
  br label %33

23:                                               ; preds = %7, %23
  %24 = phi i32 [ 0, %7 ], [ %29, %23 ]
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds float, float* %1, i64 %25
  %27 = load float, float* %26, align 4, !tbaa !5
  %28 = getelementptr inbounds [20 x float], [20 x float]* %8, i64 0, i64 %25
  store float %27, float* %28, align 4, !tbaa !5
  %29 = add nuw nsw i32 %24, 1
  %30 = icmp eq i32 %29, 20
  br i1 %30, label %17, label %23, !llvm.loop !9

31:                                               ; preds = %43
  %32 = icmp eq i32 %41, 10
  br i1 %32, label %68, label %33, !llvm.loop !12

33:                                               ; preds = %17, %31
  %34 = phi i32 [ 0, %17 ], [ %41, %31 ]
  %35 = mul i32 %21, %34
  %36 = add i32 %35, %20
  %37 = zext i32 %36 to i64
  %38 = getelementptr inbounds float, float* %0, i64 %37
  %39 = load float, float* %38, align 4, !tbaa !5
  %40 = fmul float %22, %39
  %41 = add nuw nsw i32 %34, 1
  %42 = xor i32 %34, -1
  br label %43

43:                                               ; preds = %33, %43
  %44 = phi float [ 0.000000e+00, %33 ], [ %57, %43 ]
  %45 = phi i32 [ %41, %33 ], [ %66, %43 ]
  %46 = add nsw i32 %45, %42
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds float, float* %2, i64 %47
  %49 = load float, float* %48, align 4, !tbaa !5
  %50 = fmul float %49, %6
  %51 = zext i32 %45 to i64
  %52 = getelementptr inbounds [20 x float], [20 x float]* %8, i64 0, i64 %51
  %53 = load float, float* %52, align 4, !tbaa !5
  %54 = fmul float %50, %53
  %55 = tail call contract float @llvm.fma.f32(float %6, float %53, float 1.000000e+00) #5
  %56 = fdiv contract float %54, %55
  %57 = fadd contract float %44, %56
  %58 = tail call contract float @llvm.fma.f32(float %50, float -5.000000e-01, float %40) #5
  %59 = fmul float %49, %58
  %60 = tail call contract float @llvm.fma.f32(float %50, float %57, float %59) #5
  %61 = tail call contract float @llvm.fma.f32(float %60, float 0x3FA5555560000000, float 0x3FC5555560000000) #5
  %62 = tail call contract float @llvm.fma.f32(float %60, float %61, float 5.000000e-01) #5
  %63 = tail call contract float @llvm.fma.f32(float %60, float %62, float 1.000000e+00) #5
  %64 = tail call contract float @llvm.fma.f32(float %60, float %63, float 1.000000e+00) #5
  %65 = fmul float %53, %64
  store float %65, float* %52, align 4, !tbaa !5
  %66 = add nuw nsw i32 %45, 1
  %67 = icmp eq i32 %66, 20
  br i1 %67, label %31, label %43, !llvm.loop !13

68:                                               ; preds = %31, %68
  %69 = phi i32 [ %80, %68 ], [ 10, %31 ]
  %70 = phi float [ %77, %68 ], [ 0.000000e+00, %31 ]
  %71 = phi float [ %76, %68 ], [ 1.000000e+00, %31 ]
  %72 = zext i32 %69 to i64
  %73 = getelementptr inbounds [20 x float], [20 x float]* %8, i64 0, i64 %72
  %74 = load float, float* %73, align 4, !tbaa !5
  %75 = tail call contract float @llvm.fma.f32(float %6, float %74, float 1.000000e+00) #5
  %76 = fdiv contract float %71, %75
  %77 = tail call contract float @llvm.fma.f32(float %6, float %76, float %70) #5
  %78 = getelementptr inbounds [20 x float], [20 x float]* %9, i64 0, i64 %72
  store float %76, float* %78, align 4, !tbaa !5
  %79 = getelementptr inbounds [20 x float], [20 x float]* %10, i64 0, i64 %72
  store float %77, float* %79, align 4, !tbaa !5
  %80 = add nuw nsw i32 %69, 1
  %81 = icmp eq i32 %80, 20
  br i1 %81, label %82, label %68, !llvm.loop !14

82:                                               ; preds = %68, %82
  %83 = phi i32 [ %100, %82 ], [ 0, %68 ]
  %84 = phi float [ %99, %82 ], [ 0.000000e+00, %68 ]
  %85 = zext i32 %83 to i64
  %86 = getelementptr inbounds i32, i32* %3, i64 %85
  %87 = load i32, i32* %86, align 4, !tbaa !15
  %88 = add i32 %87, 10
  %89 = getelementptr inbounds float, float* %4, i64 %85
  %90 = load float, float* %89, align 4, !tbaa !5
  %91 = zext i32 %88 to i64
  %92 = getelementptr inbounds [20 x float], [20 x float]* %10, i64 0, i64 %91
  %93 = load float, float* %92, align 4, !tbaa !5
  %94 = getelementptr inbounds [20 x float], [20 x float]* %9, i64 0, i64 %91
  %95 = load float, float* %94, align 4, !tbaa !5
  %96 = tail call contract float @llvm.fma.f32(float %90, float %93, float %95) #5
  %97 = fadd contract float %96, -1.000000e+00
  %98 = tail call float @llvm.minnum.f32(float %97, float 0.000000e+00) #5
  %99 = tail call contract float @llvm.fma.f32(float %98, float -1.000000e+02, float %84) #5
  %100 = add nuw nsw i32 %83, 1
  %101 = icmp eq i32 %100, 6
  br i1 %101, label %105, label %82, !llvm.loop !17

102:                                              ; preds = %105
  %103 = zext i32 %20 to i64
  %104 = getelementptr inbounds float, float* %5, i64 %103
  store float %112, float* %104, align 4, !tbaa !5
  call void @llvm.lifetime.end.p0i8(i64 80, i8* nonnull %16) #5
  call void @llvm.lifetime.end.p0i8(i64 80, i8* nonnull %15) #5
  call void @llvm.lifetime.end.p0i8(i64 80, i8* nonnull %14) #5
  ret void

105:                                              ; preds = %82, %105
  %106 = phi i32 [ %113, %105 ], [ 0, %82 ]
  %107 = phi float [ %112, %105 ], [ %99, %82 ]
  %108 = zext i32 %106 to i64
  %109 = getelementptr inbounds [20 x float], [20 x float]* %8, i64 0, i64 %108
  %110 = load float, float* %109, align 4, !tbaa !5
  %111 = tail call contract float @llvm.fma.f32(float %6, float %110, float 1.000000e+00) #5
  %112 = fdiv contract float %107, %111
  %113 = add nuw nsw i32 %106, 1
  %114 = icmp eq i32 %113, 10
  br i1 %114, label %102, label %105, !llvm.loop !18
}

declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #1

declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

declare float @llvm.sqrt.f32(float) #4

declare float @llvm.minnum.f32(float, float) #4

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { argmemonly mustprogress nofree nosync nounwind willreturn }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #5 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, i32*, float*, float*, float)* @libor, !"kernel", i32 1}
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
!15 = !{!16, !16, i64 0}
!16 = !{!"int", !7, i64 0}
!17 = distinct !{!17, !10, !11}
!18 = distinct !{!18, !10, !11}
