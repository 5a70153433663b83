; SPDX-License-Identifier: BSL-1.0
; Compiled from mandelbrot.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "mandelbrot.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @mandelbrot(i32* nocapture noundef writeonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2, float noundef %3, float noundef %4, float noundef %5, i32 noundef %6) local_unnamed_addr #0 {
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %10 = mul i32 %8, %9
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %12 = add i32 %10, %11
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #3
  %15 = mul i32 %13, %14
  %16 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3
  %17 = add i32 %15, %16
  %18 = mul i32 %17, %2
  %19 = add i32 %18, %12
  %20 = uitofp i32 %12 to float
  %21 = tail call float @llvm.fma.f32(float %20, float %5, float %3) #3
  %22 = uitofp i32 %17 to float
  %23 = tail call float @llvm.fma.f32(float %22, float %5, float %4) #3
  %24 = icmp eq i32 %6, 0
  br i1 %24, label %66, label %27

25:                                               ; preds = %55
  %26 = icmp eq i32 %65, %6
  br i1 %26, label %66, label %27, !llvm.loop !5

27:                                               ; preds = %7, %25
  %28 = phi float [ %64, %25 ], [ 0.000000e+00, %7 ]
  %29 = phi float [ %63, %25 ], [ 0.000000e+00, %7 ]
  %30 = phi float [ %62, %25 ], [ 0.000000e+00, %7 ]
  %31 = phi float [ %61, %25 ], [ 0.000000e+00, %7 ]
  %32 = phi i32 [ %60, %25 ], [ 1, %7 ]
  %33 = phi i32 [ %59, %25 ], [ 1, %7 ]
  %34 = phi i32 [ %65, %25 ], [ 0, %7 ]
  %35 = phi i32 [ %56, %25 ], [ 0, %7 ]
  %36 = fmul float %28, %28
  %37 = fmul float %29, %29
  %38 = fadd float %37, %36
  %39 = fcmp contract ogt float %38, 4.000000e+00
  br i1 %39, label %40, label %42

40:                                               ; preds = %27
  %41 = mul i32 %34, 1000
  br label %55

42:                                               ; preds = %27
  %43 = fadd float %28, %28
  %44 = tail call float @llvm.fma.f32(float %43, float %29, float %23) #3
  %45 = fsub float %36, %37
  %46 = fadd float %21, %45
  %47 = fcmp contract oeq float %46, %30
  %48 = fcmp contract oeq float %44, %31
  %49 = select i1 %47, i1 %48, i1 false
  br i1 %49, label %55, label %50

50:                                               ; preds = %42
  %51 = add i32 %32, -1
  %52 = icmp eq i32 %51, 0
  %53 = shl i32 %33, 1
  br i1 %52, label %54, label %55

54:                                               ; preds = %50
  br label %55

55:                                               ; preds = %50, %54, %42, %40
  %56 = phi i32 [ %41, %40 ], [ %35, %42 ], [ %35, %54 ], [ %35, %50 ]
  %57 = phi i1 [ false, %40 ], [ false, %42 ], [ true, %54 ], [ true, %50 ]
  %58 = phi i32 [ 5, %40 ], [ 6, %42 ], [ 0, %54 ], [ 0, %50 ]
  %59 = phi i32 [ %33, %40 ], [ %33, %42 ], [ %53, %54 ], [ %33, %50 ]
  %60 = phi i32 [ %32, %40 ], [ %32, %42 ], [ %53, %54 ], [ %51, %50 ]
  %61 = phi float [ %31, %40 ], [ %31, %42 ], [ %44, %54 ], [ %31, %50 ]
  %62 = phi float [ %30, %40 ], [ %30, %42 ], [ %46, %54 ], [ %30, %50 ]
  %63 = phi float [ %29, %40 ], [ %44, %42 ], [ %44, %54 ], [ %44, %50 ]
  %64 = phi float [ %28, %40 ], [ %46, %42 ], [ %46, %54 ], [ %46, %50 ]
  %65 = add nuw i32 %34, 1
  br i1 %57, label %25, label %66

66:                                               ; preds = %55, %25, %7
  %67 = phi i32 [ 0, %7 ], [ %56, %25 ], [ %56, %55 ]
  %68 = phi i32 [ 2, %7 ], [ %58, %55 ], [ 2, %25 ]
  %69 = phi float [ 0.000000e+00, %7 ], [ %61, %25 ], [ %61, %55 ]
  %70 = phi float [ 0.000000e+00, %7 ], [ %62, %25 ], [ %62, %55 ]
  %71 = phi float [ 0.000000e+00, %7 ], [ %63, %25 ], [ %63, %55 ]
  %72 = phi float [ 0.000000e+00, %7 ], [ %64, %25 ], [ %64, %55 ]
  switch i32 %68, label %114 [
    i32 2, label %110
    i32 5, label %80
    i32 6, label %92
  ]

73:                                               ; preds = %80
  %74 = fmul float %87, %87
  %75 = tail call float @llvm.fma.f32(float %89, float %89, float %74) #3
  %76 = bitcast float %75 to i32
  %77 = lshr i32 %76, 18
  %78 = and i32 %77, 511
  %79 = add i32 %78, %67
  br label %110

80:                                               ; preds = %66, %80
  %81 = phi float [ %89, %80 ], [ %72, %66 ]
  %82 = phi float [ %87, %80 ], [ %71, %66 ]
  %83 = phi i32 [ %90, %80 ], [ 0, %66 ]
  %84 = fmul float %81, %81
  %85 = fmul float %82, %82
  %86 = fadd float %81, %81
  %87 = tail call float @llvm.fma.f32(float %86, float %82, float %23) #3
  %88 = fsub float %84, %85
  %89 = fadd float %21, %88
  %90 = add nuw nsw i32 %83, 1
  %91 = icmp eq i32 %90, 8
  br i1 %91, label %73, label %80, !llvm.loop !7

92:                                               ; preds = %66, %92
  %93 = phi i32 [ %102, %92 ], [ 0, %66 ]
  %94 = phi float [ %99, %92 ], [ %71, %66 ]
  %95 = phi float [ %101, %92 ], [ %72, %66 ]
  %96 = fmul float %95, %95
  %97 = fmul float %94, %94
  %98 = fadd float %95, %95
  %99 = tail call float @llvm.fma.f32(float %98, float %94, float %23) #3
  %100 = fsub float %96, %97
  %101 = fadd float %21, %100
  %102 = add i32 %93, 1
  %103 = fcmp contract une float %101, %70
  %104 = fcmp contract une float %99, %69
  %105 = select i1 %103, i1 true, i1 %104
  br i1 %105, label %92, label %106, !llvm.loop !9

106:                                              ; preds = %92
  %107 = zext i32 %19 to i64
  %108 = getelementptr inbounds i32, i32* %1, i64 %107
  store i32 %102, i32* %108, align 4, !tbaa !10
  %109 = or i32 %102, 8388608
  br label %110

110:                                              ; preds = %66, %106, %73
  %111 = phi i32 [ %109, %106 ], [ %79, %73 ], [ 16777215, %66 ]
  %112 = zext i32 %19 to i64
  %113 = getelementptr inbounds i32, i32* %0, i64 %112
  store i32 %111, i32* %113, align 4, !tbaa !10
  ret void

114:                                              ; preds = %66
  unreachable
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

declare float @llvm.fma.f32(float, float, float) #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind writeonly }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32, float, float, float, i32)* @mandelbrot, !"kernel", i32 1}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
!7 = distinct !{!7, !6, !8}
!8 = !{!"llvm.loop.unroll.count", i32 1}
!9 = distinct !{!9, !6}
!10 = !{!11, !11, i64 0}
!11 = !{!"int", !12, i64 0}
!12 = !{!"omnipotent char", !13, i64 0}
!13 = !{!"Simple C++ TBAA"}
