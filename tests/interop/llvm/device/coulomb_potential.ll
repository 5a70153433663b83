; SPDX-License-Identifier: BSL-1.0
; Compiled from coulomb_potential.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "coulomb_potential.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.charge = type { float, float, float, float }

define dso_local void @coulomb_potential(%struct.charge* nocapture noundef readonly %0, float* nocapture noundef %1, i32 noundef %2, float noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %6 = shl i32 %5, 6
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %8 = add i32 %6, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4
  %10 = shl i32 %9, 3
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4
  %12 = add i32 %10, %11
  %13 = uitofp i32 %8 to float
  %14 = fmul float %13, %3
  %15 = uitofp i32 %12 to float
  %16 = fmul float %15, %3
  %17 = icmp eq i32 %2, 0
  br i1 %17, label %23, label %18

18:                                               ; preds = %4
  %19 = fmul float %3, 0.000000e+00
  %20 = fmul float %3, 1.600000e+01
  %21 = fmul float %3, 3.200000e+01
  %22 = fmul float %3, 4.800000e+01
  br label %46

23:                                               ; preds = %46, %4
  %24 = phi float [ 0.000000e+00, %4 ], [ %68, %46 ]
  %25 = phi float [ 0.000000e+00, %4 ], [ %73, %46 ]
  %26 = phi float [ 0.000000e+00, %4 ], [ %78, %46 ]
  %27 = phi float [ 0.000000e+00, %4 ], [ %83, %46 ]
  %28 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #4
  %29 = shl i32 %28, 6
  %30 = mul i32 %29, %12
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds float, float* %1, i64 %31
  %33 = zext i32 %8 to i64
  %34 = getelementptr inbounds float, float* %32, i64 %33
  %35 = load float, float* %34, align 4, !tbaa !5
  %36 = fadd contract float %24, %35
  store float %36, float* %34, align 4, !tbaa !5
  %37 = getelementptr inbounds float, float* %34, i64 16
  %38 = load float, float* %37, align 4, !tbaa !5
  %39 = fadd contract float %25, %38
  store float %39, float* %37, align 4, !tbaa !5
  %40 = getelementptr inbounds float, float* %34, i64 32
  %41 = load float, float* %40, align 4, !tbaa !5
  %42 = fadd contract float %26, %41
  store float %42, float* %40, align 4, !tbaa !5
  %43 = getelementptr inbounds float, float* %34, i64 48
  %44 = load float, float* %43, align 4, !tbaa !5
  %45 = fadd contract float %27, %44
  store float %45, float* %43, align 4, !tbaa !5
  ret void

46:                                               ; preds = %18, %46
  %47 = phi float [ 0.000000e+00, %18 ], [ %68, %46 ]
  %48 = phi float [ 0.000000e+00, %18 ], [ %73, %46 ]
  %49 = phi float [ 0.000000e+00, %18 ], [ %78, %46 ]
  %50 = phi float [ 0.000000e+00, %18 ], [ %83, %46 ]
  %51 = phi i32 [ 0, %18 ], [ %84, %46 ]
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds %struct.charge, %struct.charge* %0, i64 %52, i32 0
  %54 = load float, float* %53, align 4, !tbaa.struct !9
  %55 = getelementptr inbounds %struct.charge, %struct.charge* %0, i64 %52, i32 1
  %56 = load float, float* %55, align 4, !tbaa.struct !10
  %57 = getelementptr inbounds %struct.charge, %struct.charge* %0, i64 %52, i32 2
  %58 = load float, float* %57, align 4, !tbaa.struct !11
  %59 = getelementptr inbounds %struct.charge, %struct.charge* %0, i64 %52, i32 3
  %60 = load float, float* %59, align 4, !tbaa.struct !12
  %61 = fsub contract float %56, %16
  %62 = tail call contract float @llvm.fma.f32(float %61, float %61, float %58) #4
  %63 = fsub contract float %54, %14
  %64 = fsub contract float %63, %19
  %65 = tail call contract float @llvm.fma.f32(float %64, float %64, float %62) #4
  %66 = tail call float @llvm.sqrt.f32(float %65) #4
  %67 = fdiv contract float %60, %66
  %68 = fadd contract float %67, %47
  %69 = fsub contract float %63, %20
  %70 = tail call contract float @llvm.fma.f32(float %69, float %69, float %62) #4
  %71 = tail call float @llvm.sqrt.f32(float %70) #4
  %72 = fdiv contract float %60, %71
  %73 = fadd contract float %72, %48
  %74 = fsub contract float %63, %21
  %75 = tail call contract float @llvm.fma.f32(float %74, float %74, float %62) #4
  %76 = tail call float @llvm.sqrt.f32(float %75) #4
  %77 = fdiv contract float %60, %76
  %78 = fadd contract float %77, %49
  %79 = fsub contract float %63, %22
  %80 = tail call contract float @llvm.fma.f32(float %79, float %79, float %62) #4
  %81 = tail call float @llvm.sqrt.f32(float %80) #4
  %82 = fdiv contract float %60, %81
  %83 = fadd contract float %82, %50
  %84 = add nuw i32 %51, 1
  %85 = icmp eq i32 %84, %2
  br i1 %85, label %23, label %46, !llvm.loop !13
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

declare float @llvm.fma.f32(float, float, float) #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare float @llvm.sqrt.f32(float) #3

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (%struct.charge*, float*, i32, float)* @coulomb_potential, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{i64 0, i64 4, !5, i64 4, i64 4, !5, i64 8, i64 4, !5, i64 12, i64 4, !5}
!10 = !{i64 0, i64 4, !5, i64 4, i64 4, !5, i64 8, i64 4, !5}
!11 = !{i64 0, i64 4, !5, i64 4, i64 4, !5}
!12 = !{i64 0, i64 4, !5}
!13 = distinct !{!13, !14, !15}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{!"llvm.loop.unroll.count", i32 1}
