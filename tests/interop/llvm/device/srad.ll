; SPDX-License-Identifier: BSL-1.0
; Compiled from srad.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "srad.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ4sradE5pixel = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ4sradE6result = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ4sradE5north = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4
@_ZZ4sradE5south = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4
@_ZZ4sradE4west = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4
@_ZZ4sradE4east = internal unnamed_addr addrspace(3) global [16 x float] undef, align 4

define dso_local void @srad(float* nocapture noundef readonly %0, float* nocapture noundef writeonly %1, float* nocapture noundef writeonly %2, float* nocapture noundef writeonly %3, float noundef %4, float noundef %5, float noundef %6) local_unnamed_addr #0 {
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #4
  %11 = shl i32 %10, 4
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %13 = shl i32 %12, 4
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4
  %15 = shl i32 %14, 4
  %16 = add i32 %15, %9
  %17 = mul i32 %16, %11
  %18 = add i32 %13, %8
  %19 = add i32 %18, %17
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds float, float* %0, i64 %20
  %22 = load float, float* %21, align 4, !tbaa !5
  %23 = zext i32 %9 to i64
  %24 = zext i32 %8 to i64
  %25 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %23, i64 %24
  %26 = addrspacecast float addrspace(3)* %25 to float*
  store float %22, float* %26, align 4, !tbaa !5
  %27 = icmp eq i32 %9, 0
  br i1 %27, label %28, label %73

28:                                               ; preds = %7
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #4
  %30 = shl i32 %29, 4
  %31 = icmp eq i32 %15, 0
  %32 = add i32 %15, -1
  %33 = select i1 %31, i32 0, i32 %32
  %34 = mul i32 %33, %11
  %35 = add i32 %18, %34
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds float, float* %0, i64 %36
  %38 = load float, float* %37, align 4, !tbaa !5
  %39 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE5north, i64 0, i64 %24
  %40 = addrspacecast float addrspace(3)* %39 to float*
  store float %38, float* %40, align 4, !tbaa !5
  %41 = add i32 %15, 16
  %42 = add i32 %30, -1
  %43 = icmp ult i32 %41, %42
  %44 = select i1 %43, i32 %41, i32 %42
  %45 = mul i32 %44, %11
  %46 = add i32 %18, %45
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds float, float* %0, i64 %47
  %49 = load float, float* %48, align 4, !tbaa !5
  %50 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE5south, i64 0, i64 %24
  %51 = addrspacecast float addrspace(3)* %50 to float*
  store float %49, float* %51, align 4, !tbaa !5
  %52 = add i32 %15, %8
  %53 = mul i32 %52, %11
  %54 = icmp eq i32 %13, 0
  %55 = add i32 %13, -1
  %56 = select i1 %54, i32 0, i32 %55
  %57 = add i32 %53, %56
  %58 = zext i32 %57 to i64
  %59 = getelementptr inbounds float, float* %0, i64 %58
  %60 = load float, float* %59, align 4, !tbaa !5
  %61 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE4west, i64 0, i64 %24
  %62 = addrspacecast float addrspace(3)* %61 to float*
  store float %60, float* %62, align 4, !tbaa !5
  %63 = add i32 %13, 16
  %64 = add i32 %11, -1
  %65 = icmp ult i32 %63, %64
  %66 = select i1 %65, i32 %63, i32 %64
  %67 = add i32 %66, %53
  %68 = zext i32 %67 to i64
  %69 = getelementptr inbounds float, float* %0, i64 %68
  %70 = load float, float* %69, align 4, !tbaa !5
  %71 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE4east, i64 0, i64 %24
  %72 = addrspacecast float addrspace(3)* %71 to float*
  store float %70, float* %72, align 4, !tbaa !5
  br label %73

73:                                               ; preds = %28, %7
  tail call void @llvm.nvvm.barrier0()
  br i1 %27, label %74, label %81

74:                                               ; preds = %73
  %75 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE5north, i64 0, i64 %24
  %76 = addrspacecast float addrspace(3)* %75 to float*
  %77 = load float, float* %76, align 4, !tbaa !5
  %78 = getelementptr [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 1, i64 %24
  %79 = addrspacecast float addrspace(3)* %78 to float*
  %80 = load float, float* %79, align 4, !tbaa !5
  br label %101

81:                                               ; preds = %73
  %82 = icmp eq i32 %9, 15
  br i1 %82, label %83, label %90

83:                                               ; preds = %81
  %84 = getelementptr [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 14, i64 %24
  %85 = addrspacecast float addrspace(3)* %84 to float*
  %86 = load float, float* %85, align 4, !tbaa !5
  %87 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE5south, i64 0, i64 %24
  %88 = addrspacecast float addrspace(3)* %87 to float*
  %89 = load float, float* %88, align 4, !tbaa !5
  br label %101

90:                                               ; preds = %81
  %91 = add i32 %9, -1
  %92 = zext i32 %91 to i64
  %93 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %92, i64 %24
  %94 = addrspacecast float addrspace(3)* %93 to float*
  %95 = load float, float* %94, align 4, !tbaa !5
  %96 = add i32 %9, 1
  %97 = zext i32 %96 to i64
  %98 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %97, i64 %24
  %99 = addrspacecast float addrspace(3)* %98 to float*
  %100 = load float, float* %99, align 4, !tbaa !5
  br label %101

101:                                              ; preds = %83, %90, %74
  %102 = phi float [ %80, %74 ], [ %89, %83 ], [ %100, %90 ]
  %103 = phi float [ %77, %74 ], [ %86, %83 ], [ %95, %90 ]
  %104 = fsub contract float %103, %22
  %105 = fsub contract float %102, %22
  switch i32 %8, label %120 [
    i32 0, label %106
    i32 15, label %113
  ]

106:                                              ; preds = %101
  %107 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE4west, i64 0, i64 %23
  %108 = addrspacecast float addrspace(3)* %107 to float*
  %109 = load float, float* %108, align 4, !tbaa !5
  %110 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %23, i64 1
  %111 = addrspacecast float addrspace(3)* %110 to float*
  %112 = load float, float* %111, align 4, !tbaa !5
  br label %131

113:                                              ; preds = %101
  %114 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %23, i64 14
  %115 = addrspacecast float addrspace(3)* %114 to float*
  %116 = load float, float* %115, align 4, !tbaa !5
  %117 = getelementptr inbounds [16 x float], [16 x float] addrspace(3)* @_ZZ4sradE4east, i64 0, i64 %23
  %118 = addrspacecast float addrspace(3)* %117 to float*
  %119 = load float, float* %118, align 4, !tbaa !5
  br label %131

120:                                              ; preds = %101
  %121 = add i32 %8, -1
  %122 = zext i32 %121 to i64
  %123 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %23, i64 %122
  %124 = addrspacecast float addrspace(3)* %123 to float*
  %125 = load float, float* %124, align 4, !tbaa !5
  %126 = add i32 %8, 1
  %127 = zext i32 %126 to i64
  %128 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE5pixel, i64 0, i64 %23, i64 %127
  %129 = addrspacecast float addrspace(3)* %128 to float*
  %130 = load float, float* %129, align 4, !tbaa !5
  br label %131

131:                                              ; preds = %113, %120, %106
  %132 = phi float [ %112, %106 ], [ %119, %113 ], [ %130, %120 ]
  %133 = phi float [ %109, %106 ], [ %116, %113 ], [ %125, %120 ]
  %134 = fsub contract float %133, %22
  %135 = fsub contract float %132, %22
  %136 = fmul contract float %135, %135
  %137 = tail call contract float @llvm.fma.f32(float %134, float %134, float %136) #4
  %138 = tail call contract float @llvm.fma.f32(float %105, float %105, float %137) #4
  %139 = tail call contract float @llvm.fma.f32(float %104, float %104, float %138) #4
  %140 = fmul contract float %22, %22
  %141 = fdiv contract float %139, %140
  %142 = fadd contract float %105, %104
  %143 = fadd contract float %135, %134
  %144 = fadd contract float %142, %143
  %145 = fdiv contract float %144, %22
  %146 = tail call contract float @llvm.fma.f32(float %145, float 2.500000e-01, float 1.000000e+00) #4
  %147 = fmul contract float %145, -6.250000e-02
  %148 = fmul contract float %145, %147
  %149 = tail call contract float @llvm.fma.f32(float %141, float 5.000000e-01, float %148) #4
  %150 = fmul contract float %146, %146
  %151 = fdiv contract float %149, %150
  %152 = fsub contract float %151, %4
  %153 = fadd contract float %4, 1.000000e+00
  %154 = fmul contract float %153, %4
  %155 = fdiv contract float %152, %154
  %156 = fadd contract float %155, 1.000000e+00
  %157 = fdiv contract float 1.000000e+00, %156
  %158 = fcmp contract olt float %157, %5
  br i1 %158, label %159, label %162

159:                                              ; preds = %131
  %160 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE6result, i64 0, i64 %23, i64 %24
  %161 = addrspacecast float addrspace(3)* %160 to float*
  store float %5, float* %161, align 4, !tbaa !5
  br label %170

162:                                              ; preds = %131
  %163 = fcmp contract ogt float %157, %6
  br i1 %163, label %164, label %167

164:                                              ; preds = %162
  %165 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE6result, i64 0, i64 %23, i64 %24
  %166 = addrspacecast float addrspace(3)* %165 to float*
  store float %6, float* %166, align 4, !tbaa !5
  br label %170

167:                                              ; preds = %162
  %168 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ4sradE6result, i64 0, i64 %23, i64 %24
  %169 = addrspacecast float addrspace(3)* %168 to float*
  store float %157, float* %169, align 4, !tbaa !5
  br label %170

170:                                              ; preds = %164, %167, %159
  %171 = phi float* [ %166, %164 ], [ %169, %167 ], [ %161, %159 ]
  %172 = load float, float* %171, align 4, !tbaa !5
  %173 = getelementptr inbounds float, float* %1, i64 %20
  store float %172, float* %173, align 4, !tbaa !5
  %174 = getelementptr inbounds float, float* %2, i64 %20
  store float %105, float* %174, align 4, !tbaa !5
  %175 = getelementptr inbounds float, float* %3, i64 %20
  store float %135, float* %175, align 4, !tbaa !5
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, float*, float, float, float)* @srad, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
