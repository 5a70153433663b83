; SPDX-License-Identifier: BSL-1.0
; Compiled from weather.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "weather.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @weather(float* nocapture noundef %0, float* nocapture noundef %1, float* nocapture noundef %2, float* nocapture noundef %3, float* nocapture noundef %4, float* nocapture noundef %5, i32 noundef %6) local_unnamed_addr #0 {
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #4
  %9 = shl i32 %8, 3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #4
  %11 = shl i32 %10, 3
  %12 = mul i32 %11, %9
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4
  %14 = shl i32 %13, 3
  %15 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4
  %16 = add i32 %14, %15
  %17 = mul i32 %16, %9
  %18 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %19 = shl i32 %18, 3
  %20 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %21 = add i32 %19, %20
  %22 = add i32 %21, %17
  %23 = icmp eq i32 %6, 0
  br i1 %23, label %27, label %35

24:                                               ; preds = %119
  %25 = fptoui float %135 to i32
  %26 = add i32 %25, 1
  br label %27

27:                                               ; preds = %24, %7
  %28 = phi i32 [ 1, %7 ], [ %26, %24 ]
  %29 = uitofp i32 %28 to float
  %30 = fdiv contract float 5.000000e-01, %29
  %31 = zext i32 %22 to i64
  %32 = getelementptr inbounds float, float* %5, i64 %31
  %33 = load float, float* %32, align 4, !tbaa !5
  %34 = icmp eq i32 %28, 0
  br i1 %34, label %140, label %137

35:                                               ; preds = %7, %119
  %36 = phi i32 [ %38, %119 ], [ %6, %7 ]
  %37 = phi float [ %135, %119 ], [ 0.000000e+00, %7 ]
  %38 = add i32 %36, -1
  %39 = mul i32 %38, %12
  %40 = add i32 %39, %22
  %41 = uitofp i32 %38 to float
  %42 = tail call contract float @llvm.fma.f32(float %41, float -2.500000e+00, float 2.000000e+01) #4
  %43 = zext i32 %40 to i64
  %44 = getelementptr inbounds float, float* %0, i64 %43
  %45 = load float, float* %44, align 4, !tbaa !5
  %46 = fadd contract float %42, %45
  %47 = tail call contract float @llvm.fma.f32(float %41, float 0x3FC99999A0000000, float 1.000000e+00) #4
  %48 = fdiv contract float 1.600000e+01, %47
  %49 = getelementptr inbounds float, float* %1, i64 %43
  %50 = load float, float* %49, align 4, !tbaa !5
  %51 = fadd contract float %48, %50
  %52 = getelementptr inbounds float, float* %2, i64 %43
  %53 = load float, float* %52, align 4, !tbaa !5
  %54 = getelementptr inbounds float, float* %3, i64 %43
  %55 = load float, float* %54, align 4, !tbaa !5
  %56 = getelementptr inbounds float, float* %4, i64 %43
  %57 = load float, float* %56, align 4, !tbaa !5
  %58 = fcmp contract ogt float %46, -3.000000e+01
  %59 = fadd contract float %46, 3.000000e+01
  %60 = tail call contract float @llvm.fma.f32(float %59, float 0x3F789374C0000000, float 0x3F947AE140000000) #4
  %61 = tail call contract float @llvm.fma.f32(float %59, float %60, float 0x3FD3333340000000) #4
  %62 = select contract i1 %58, float %61, float 0x3FD3333340000000
  %63 = fsub contract float %51, %62
  %64 = fcmp contract ogt float %63, 0.000000e+00
  br i1 %64, label %65, label %70

65:                                               ; preds = %35
  %66 = fmul float %63, 0x3FD99999A0000000
  %67 = fsub contract float %51, %66
  %68 = tail call contract float @llvm.fma.f32(float %66, float 2.500000e+00, float %46) #4
  %69 = fadd contract float %53, %66
  br label %78

70:                                               ; preds = %35
  %71 = fcmp contract ogt float %53, 0.000000e+00
  %72 = fsub contract float 0.000000e+00, %63
  %73 = tail call float @llvm.minnum.f32(float %53, float %72) #4
  br i1 %71, label %74, label %78

74:                                               ; preds = %70
  %75 = fsub contract float %53, %73
  %76 = tail call contract float @llvm.fma.f32(float %73, float -2.500000e+00, float %46) #4
  %77 = fadd contract float %51, %73
  br label %78

78:                                               ; preds = %70, %74, %65
  %79 = phi float [ %69, %65 ], [ %75, %74 ], [ %53, %70 ]
  %80 = phi float [ %67, %65 ], [ %77, %74 ], [ %51, %70 ]
  %81 = phi float [ %68, %65 ], [ %76, %74 ], [ %46, %70 ]
  %82 = fcmp contract ogt float %79, 5.000000e-01
  %83 = fadd contract float %79, -5.000000e-01
  %84 = fmul float %83, 0x3FC99999A0000000
  %85 = select i1 %82, float %84, float -0.000000e+00
  %86 = fadd contract float %55, %85
  %87 = select i1 %82, float %84, float 0.000000e+00
  %88 = fsub contract float %79, %87
  %89 = fcmp contract ogt float %86, 0.000000e+00
  br i1 %89, label %90, label %119

90:                                               ; preds = %78
  %91 = fcmp contract ogt float %88, 0.000000e+00
  br i1 %91, label %92, label %98

92:                                               ; preds = %90
  %93 = fmul float %88, %86
  %94 = fmul float %93, 0x3FD3333340000000
  %95 = tail call float @llvm.minnum.f32(float %88, float %94) #4
  %96 = fsub contract float %88, %95
  %97 = fadd contract float %86, %95
  br label %105

98:                                               ; preds = %90
  %99 = fcmp contract olt float %63, 0.000000e+00
  %100 = fmul float %63, 0xBFA99999A0000000
  %101 = tail call float @llvm.minnum.f32(float %86, float %100) #4
  br i1 %99, label %102, label %105

102:                                              ; preds = %98
  %103 = fadd contract float %80, %101
  %104 = fsub contract float %86, %101
  br label %105

105:                                              ; preds = %98, %102, %92
  %106 = phi float [ %97, %92 ], [ %104, %102 ], [ %86, %98 ]
  %107 = phi float [ %96, %92 ], [ %88, %102 ], [ %88, %98 ]
  %108 = phi float [ %80, %92 ], [ %103, %102 ], [ %80, %98 ]
  %109 = fcmp contract olt float %81, 0.000000e+00
  br i1 %109, label %110, label %119

110:                                              ; preds = %105
  %111 = fcmp contract olt float %81, -2.000000e+01
  br i1 %111, label %112, label %114

112:                                              ; preds = %110
  %113 = fadd contract float %57, %106
  br label %119

114:                                              ; preds = %110
  %115 = fmul float %81, %106
  %116 = fmul float %115, 0xBF9EB851E0000000
  %117 = fadd contract float %57, %116
  %118 = fsub contract float %106, %116
  br label %119

119:                                              ; preds = %105, %114, %112, %78
  %120 = phi float [ %113, %112 ], [ %117, %114 ], [ %57, %105 ], [ %57, %78 ]
  %121 = phi float [ 0.000000e+00, %112 ], [ %118, %114 ], [ %106, %105 ], [ %86, %78 ]
  %122 = phi float [ %107, %112 ], [ %107, %114 ], [ %107, %105 ], [ %88, %78 ]
  %123 = phi float [ %108, %112 ], [ %108, %114 ], [ %108, %105 ], [ %80, %78 ]
  %124 = fcmp contract ogt float %81, 0.000000e+00
  %125 = fcmp contract ogt float %120, 0.000000e+00
  %126 = select i1 %124, i1 %125, i1 false
  %127 = fmul float %81, 0x3FA99999A0000000
  %128 = tail call float @llvm.minnum.f32(float %120, float %127) #4
  %129 = tail call contract float @llvm.fma.f32(float %128, float 0xBFD3333340000000, float %81) #4
  %130 = select i1 %126, float %128, float 0.000000e+00
  %131 = fsub contract float %120, %130
  %132 = select i1 %126, float %128, float -0.000000e+00
  %133 = fadd contract float %121, %132
  %134 = select i1 %126, float %129, float %81
  %135 = tail call float @llvm.maxnum.f32(float %37, float %133) #4
  store float %134, float* %44, align 4, !tbaa !5
  store float %123, float* %49, align 4, !tbaa !5
  store float %122, float* %52, align 4, !tbaa !5
  store float %133, float* %54, align 4, !tbaa !5
  store float %131, float* %56, align 4, !tbaa !5
  %136 = icmp eq i32 %38, 0
  br i1 %136, label %24, label %35, !llvm.loop !9

137:                                              ; preds = %27, %142
  %138 = phi i32 [ %145, %142 ], [ 0, %27 ]
  %139 = phi float [ %144, %142 ], [ %33, %27 ]
  br i1 %23, label %142, label %147

140:                                              ; preds = %142, %27
  %141 = phi float [ %33, %27 ], [ %144, %142 ]
  store float %141, float* %32, align 4, !tbaa !5
  ret void

142:                                              ; preds = %147, %137
  %143 = phi float [ 0.000000e+00, %137 ], [ %156, %147 ]
  %144 = fadd contract float %139, %143
  %145 = add nuw i32 %138, 1
  %146 = icmp eq i32 %145, %28
  br i1 %146, label %140, label %137, !llvm.loop !12

147:                                              ; preds = %137, %147
  %148 = phi i32 [ %150, %147 ], [ %6, %137 ]
  %149 = phi float [ %156, %147 ], [ 0.000000e+00, %137 ]
  %150 = add i32 %148, -1
  %151 = mul i32 %150, %12
  %152 = add i32 %151, %22
  %153 = zext i32 %152 to i64
  %154 = getelementptr inbounds float, float* %3, i64 %153
  %155 = load float, float* %154, align 4, !tbaa !5
  %156 = fmul float %30, %155
  %157 = fsub contract float %155, %156
  %158 = fadd contract float %149, %157
  store float %158, float* %154, align 4, !tbaa !5
  %159 = icmp eq i32 %150, 0
  br i1 %159, label %142, label %147, !llvm.loop !13
}

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare float @llvm.fma.f32(float, float, float) #2

declare float @llvm.minnum.f32(float, float) #3

declare float @llvm.maxnum.f32(float, float) #3

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, float*, float*, float*, i32)* @weather, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
