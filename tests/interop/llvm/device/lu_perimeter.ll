; SPDX-License-Identifier: BSL-1.0
; Compiled from lu_perimeter.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "lu_perimeter.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ12lu_perimeterE8diagonal = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ12lu_perimeterE4rows = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ12lu_perimeterE7columns = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

define dso_local void @lu_perimeter(float* nocapture noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %5 = icmp ult i32 %4, 16
  %6 = and i32 %4, 15
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %8 = shl i32 %7, 4
  %9 = add i32 %8, 16
  %10 = mul i32 %2, %1
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds float, float* %0, i64 %11
  %13 = zext i32 %2 to i64
  %14 = getelementptr inbounds float, float* %12, i64 %13
  %15 = zext i32 %6 to i64
  br i1 %5, label %200, label %16

16:                                               ; preds = %3
  %17 = shl i32 %1, 3
  %18 = add i32 %17, %6
  %19 = zext i32 %18 to i64
  %20 = getelementptr inbounds float, float* %14, i64 %19
  %21 = load float, float* %20, align 4, !tbaa !5
  %22 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %15
  %23 = addrspacecast float addrspace(3)* %22 to float*
  store float %21, float* %23, align 4, !tbaa !5
  %24 = mul i32 %1, 9
  %25 = add i32 %24, %6
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds float, float* %14, i64 %26
  %28 = load float, float* %27, align 4, !tbaa !5
  %29 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %15
  %30 = addrspacecast float addrspace(3)* %29 to float*
  store float %28, float* %30, align 4, !tbaa !5
  %31 = mul i32 %1, 10
  %32 = add i32 %31, %6
  %33 = zext i32 %32 to i64
  %34 = getelementptr inbounds float, float* %14, i64 %33
  %35 = load float, float* %34, align 4, !tbaa !5
  %36 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %15
  %37 = addrspacecast float addrspace(3)* %36 to float*
  store float %35, float* %37, align 4, !tbaa !5
  %38 = mul i32 %1, 11
  %39 = add i32 %38, %6
  %40 = zext i32 %39 to i64
  %41 = getelementptr inbounds float, float* %14, i64 %40
  %42 = load float, float* %41, align 4, !tbaa !5
  %43 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %15
  %44 = addrspacecast float addrspace(3)* %43 to float*
  store float %42, float* %44, align 4, !tbaa !5
  %45 = mul i32 %1, 12
  %46 = add i32 %45, %6
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds float, float* %14, i64 %47
  %49 = load float, float* %48, align 4, !tbaa !5
  %50 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %15
  %51 = addrspacecast float addrspace(3)* %50 to float*
  store float %49, float* %51, align 4, !tbaa !5
  %52 = mul i32 %1, 13
  %53 = add i32 %52, %6
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds float, float* %14, i64 %54
  %56 = load float, float* %55, align 4, !tbaa !5
  %57 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %15
  %58 = addrspacecast float addrspace(3)* %57 to float*
  store float %56, float* %58, align 4, !tbaa !5
  %59 = mul i32 %1, 14
  %60 = add i32 %59, %6
  %61 = zext i32 %60 to i64
  %62 = getelementptr inbounds float, float* %14, i64 %61
  %63 = load float, float* %62, align 4, !tbaa !5
  %64 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %15
  %65 = addrspacecast float addrspace(3)* %64 to float*
  store float %63, float* %65, align 4, !tbaa !5
  %66 = mul i32 %1, 15
  %67 = add i32 %66, %6
  %68 = zext i32 %67 to i64
  %69 = getelementptr inbounds float, float* %14, i64 %68
  %70 = load float, float* %69, align 4, !tbaa !5
  %71 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %15
  %72 = addrspacecast float addrspace(3)* %71 to float*
  store float %70, float* %72, align 4, !tbaa !5
  %73 = mul i32 %9, %1
  %74 = or i32 %73, %6
  %75 = zext i32 %74 to i64
  %76 = getelementptr inbounds float, float* %14, i64 %75
  %77 = load float, float* %76, align 4, !tbaa !5
  %78 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 0, i64 %15
  %79 = addrspacecast float addrspace(3)* %78 to float*
  store float %77, float* %79, align 4, !tbaa !5
  %80 = add i32 %8, 17
  %81 = mul i32 %80, %1
  %82 = add i32 %81, %6
  %83 = zext i32 %82 to i64
  %84 = getelementptr inbounds float, float* %14, i64 %83
  %85 = load float, float* %84, align 4, !tbaa !5
  %86 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 1, i64 %15
  %87 = addrspacecast float addrspace(3)* %86 to float*
  store float %85, float* %87, align 4, !tbaa !5
  %88 = add i32 %8, 18
  %89 = mul i32 %88, %1
  %90 = add i32 %89, %6
  %91 = zext i32 %90 to i64
  %92 = getelementptr inbounds float, float* %14, i64 %91
  %93 = load float, float* %92, align 4, !tbaa !5
  %94 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 2, i64 %15
  %95 = addrspacecast float addrspace(3)* %94 to float*
  store float %93, float* %95, align 4, !tbaa !5
  %96 = add i32 %8, 19
  %97 = mul i32 %96, %1
  %98 = add i32 %97, %6
  %99 = zext i32 %98 to i64
  %100 = getelementptr inbounds float, float* %14, i64 %99
  %101 = load float, float* %100, align 4, !tbaa !5
  %102 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 3, i64 %15
  %103 = addrspacecast float addrspace(3)* %102 to float*
  store float %101, float* %103, align 4, !tbaa !5
  %104 = add i32 %8, 20
  %105 = mul i32 %104, %1
  %106 = add i32 %105, %6
  %107 = zext i32 %106 to i64
  %108 = getelementptr inbounds float, float* %14, i64 %107
  %109 = load float, float* %108, align 4, !tbaa !5
  %110 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 4, i64 %15
  %111 = addrspacecast float addrspace(3)* %110 to float*
  store float %109, float* %111, align 4, !tbaa !5
  %112 = add i32 %8, 21
  %113 = mul i32 %112, %1
  %114 = add i32 %113, %6
  %115 = zext i32 %114 to i64
  %116 = getelementptr inbounds float, float* %14, i64 %115
  %117 = load float, float* %116, align 4, !tbaa !5
  %118 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 5, i64 %15
  %119 = addrspacecast float addrspace(3)* %118 to float*
  store float %117, float* %119, align 4, !tbaa !5
  %120 = add i32 %8, 22
  %121 = mul i32 %120, %1
  %122 = add i32 %121, %6
  %123 = zext i32 %122 to i64
  %124 = getelementptr inbounds float, float* %14, i64 %123
  %125 = load float, float* %124, align 4, !tbaa !5
  %126 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 6, i64 %15
  %127 = addrspacecast float addrspace(3)* %126 to float*
  store float %125, float* %127, align 4, !tbaa !5
  %128 = add i32 %8, 23
  %129 = mul i32 %128, %1
  %130 = add i32 %129, %6
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds float, float* %14, i64 %131
  %133 = load float, float* %132, align 4, !tbaa !5
  %134 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 7, i64 %15
  %135 = addrspacecast float addrspace(3)* %134 to float*
  store float %133, float* %135, align 4, !tbaa !5
  %136 = add i32 %8, 24
  %137 = mul i32 %136, %1
  %138 = add i32 %137, %6
  %139 = zext i32 %138 to i64
  %140 = getelementptr inbounds float, float* %14, i64 %139
  %141 = load float, float* %140, align 4, !tbaa !5
  %142 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 8, i64 %15
  %143 = addrspacecast float addrspace(3)* %142 to float*
  store float %141, float* %143, align 4, !tbaa !5
  %144 = add i32 %8, 25
  %145 = mul i32 %144, %1
  %146 = add i32 %145, %6
  %147 = zext i32 %146 to i64
  %148 = getelementptr inbounds float, float* %14, i64 %147
  %149 = load float, float* %148, align 4, !tbaa !5
  %150 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 9, i64 %15
  %151 = addrspacecast float addrspace(3)* %150 to float*
  store float %149, float* %151, align 4, !tbaa !5
  %152 = add i32 %8, 26
  %153 = mul i32 %152, %1
  %154 = add i32 %153, %6
  %155 = zext i32 %154 to i64
  %156 = getelementptr inbounds float, float* %14, i64 %155
  %157 = load float, float* %156, align 4, !tbaa !5
  %158 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 10, i64 %15
  %159 = addrspacecast float addrspace(3)* %158 to float*
  store float %157, float* %159, align 4, !tbaa !5
  %160 = add i32 %8, 27
  %161 = mul i32 %160, %1
  %162 = add i32 %161, %6
  %163 = zext i32 %162 to i64
  %164 = getelementptr inbounds float, float* %14, i64 %163
  %165 = load float, float* %164, align 4, !tbaa !5
  %166 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 11, i64 %15
  %167 = addrspacecast float addrspace(3)* %166 to float*
  store float %165, float* %167, align 4, !tbaa !5
  %168 = add i32 %8, 28
  %169 = mul i32 %168, %1
  %170 = add i32 %169, %6
  %171 = zext i32 %170 to i64
  %172 = getelementptr inbounds float, float* %14, i64 %171
  %173 = load float, float* %172, align 4, !tbaa !5
  %174 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 12, i64 %15
  %175 = addrspacecast float addrspace(3)* %174 to float*
  store float %173, float* %175, align 4, !tbaa !5
  %176 = add i32 %8, 29
  %177 = mul i32 %176, %1
  %178 = add i32 %177, %6
  %179 = zext i32 %178 to i64
  %180 = getelementptr inbounds float, float* %14, i64 %179
  %181 = load float, float* %180, align 4, !tbaa !5
  %182 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 13, i64 %15
  %183 = addrspacecast float addrspace(3)* %182 to float*
  store float %181, float* %183, align 4, !tbaa !5
  %184 = add i32 %8, 30
  %185 = mul i32 %184, %1
  %186 = add i32 %185, %6
  %187 = zext i32 %186 to i64
  %188 = getelementptr inbounds float, float* %14, i64 %187
  %189 = load float, float* %188, align 4, !tbaa !5
  %190 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 14, i64 %15
  %191 = addrspacecast float addrspace(3)* %190 to float*
  store float %189, float* %191, align 4, !tbaa !5
  %192 = add i32 %8, 31
  %193 = mul i32 %192, %1
  %194 = add i32 %193, %6
  %195 = zext i32 %194 to i64
  %196 = getelementptr inbounds float, float* %14, i64 %195
  %197 = load float, float* %196, align 4, !tbaa !5
  %198 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 15, i64 %15
  %199 = addrspacecast float addrspace(3)* %198 to float*
  store float %197, float* %199, align 4, !tbaa !5
  br label %357

200:                                              ; preds = %3
  %201 = getelementptr inbounds float, float* %14, i64 %15
  %202 = load float, float* %201, align 4, !tbaa !5
  %203 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 %15
  %204 = addrspacecast float addrspace(3)* %203 to float*
  store float %202, float* %204, align 4, !tbaa !5
  %205 = add i32 %6, %1
  %206 = zext i32 %205 to i64
  %207 = getelementptr inbounds float, float* %14, i64 %206
  %208 = load float, float* %207, align 4, !tbaa !5
  %209 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 %15
  %210 = addrspacecast float addrspace(3)* %209 to float*
  store float %208, float* %210, align 4, !tbaa !5
  %211 = shl i32 %1, 1
  %212 = add i32 %211, %6
  %213 = zext i32 %212 to i64
  %214 = getelementptr inbounds float, float* %14, i64 %213
  %215 = load float, float* %214, align 4, !tbaa !5
  %216 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 %15
  %217 = addrspacecast float addrspace(3)* %216 to float*
  store float %215, float* %217, align 4, !tbaa !5
  %218 = mul i32 %1, 3
  %219 = add i32 %218, %6
  %220 = zext i32 %219 to i64
  %221 = getelementptr inbounds float, float* %14, i64 %220
  %222 = load float, float* %221, align 4, !tbaa !5
  %223 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 %15
  %224 = addrspacecast float addrspace(3)* %223 to float*
  store float %222, float* %224, align 4, !tbaa !5
  %225 = shl i32 %1, 2
  %226 = add i32 %225, %6
  %227 = zext i32 %226 to i64
  %228 = getelementptr inbounds float, float* %14, i64 %227
  %229 = load float, float* %228, align 4, !tbaa !5
  %230 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 %15
  %231 = addrspacecast float addrspace(3)* %230 to float*
  store float %229, float* %231, align 4, !tbaa !5
  %232 = mul i32 %1, 5
  %233 = add i32 %232, %6
  %234 = zext i32 %233 to i64
  %235 = getelementptr inbounds float, float* %14, i64 %234
  %236 = load float, float* %235, align 4, !tbaa !5
  %237 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 %15
  %238 = addrspacecast float addrspace(3)* %237 to float*
  store float %236, float* %238, align 4, !tbaa !5
  %239 = mul i32 %1, 6
  %240 = add i32 %239, %6
  %241 = zext i32 %240 to i64
  %242 = getelementptr inbounds float, float* %14, i64 %241
  %243 = load float, float* %242, align 4, !tbaa !5
  %244 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 %15
  %245 = addrspacecast float addrspace(3)* %244 to float*
  store float %243, float* %245, align 4, !tbaa !5
  %246 = mul i32 %1, 7
  %247 = add i32 %246, %6
  %248 = zext i32 %247 to i64
  %249 = getelementptr inbounds float, float* %14, i64 %248
  %250 = load float, float* %249, align 4, !tbaa !5
  %251 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 %15
  %252 = addrspacecast float addrspace(3)* %251 to float*
  store float %250, float* %252, align 4, !tbaa !5
  %253 = or i32 %9, %6
  %254 = zext i32 %253 to i64
  %255 = getelementptr inbounds float, float* %14, i64 %254
  %256 = load float, float* %255, align 4, !tbaa !5
  %257 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %15
  %258 = addrspacecast float addrspace(3)* %257 to float*
  store float %256, float* %258, align 4, !tbaa !5
  %259 = add i32 %253, %1
  %260 = zext i32 %259 to i64
  %261 = getelementptr inbounds float, float* %14, i64 %260
  %262 = load float, float* %261, align 4, !tbaa !5
  %263 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %15
  %264 = addrspacecast float addrspace(3)* %263 to float*
  store float %262, float* %264, align 4, !tbaa !5
  %265 = add i32 %253, %211
  %266 = zext i32 %265 to i64
  %267 = getelementptr inbounds float, float* %14, i64 %266
  %268 = load float, float* %267, align 4, !tbaa !5
  %269 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %15
  %270 = addrspacecast float addrspace(3)* %269 to float*
  store float %268, float* %270, align 4, !tbaa !5
  %271 = add i32 %253, %218
  %272 = zext i32 %271 to i64
  %273 = getelementptr inbounds float, float* %14, i64 %272
  %274 = load float, float* %273, align 4, !tbaa !5
  %275 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %15
  %276 = addrspacecast float addrspace(3)* %275 to float*
  store float %274, float* %276, align 4, !tbaa !5
  %277 = add i32 %253, %225
  %278 = zext i32 %277 to i64
  %279 = getelementptr inbounds float, float* %14, i64 %278
  %280 = load float, float* %279, align 4, !tbaa !5
  %281 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %15
  %282 = addrspacecast float addrspace(3)* %281 to float*
  store float %280, float* %282, align 4, !tbaa !5
  %283 = add i32 %253, %232
  %284 = zext i32 %283 to i64
  %285 = getelementptr inbounds float, float* %14, i64 %284
  %286 = load float, float* %285, align 4, !tbaa !5
  %287 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %15
  %288 = addrspacecast float addrspace(3)* %287 to float*
  store float %286, float* %288, align 4, !tbaa !5
  %289 = add i32 %253, %239
  %290 = zext i32 %289 to i64
  %291 = getelementptr inbounds float, float* %14, i64 %290
  %292 = load float, float* %291, align 4, !tbaa !5
  %293 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %15
  %294 = addrspacecast float addrspace(3)* %293 to float*
  store float %292, float* %294, align 4, !tbaa !5
  %295 = add i32 %253, %246
  %296 = zext i32 %295 to i64
  %297 = getelementptr inbounds float, float* %14, i64 %296
  %298 = load float, float* %297, align 4, !tbaa !5
  %299 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %15
  %300 = addrspacecast float addrspace(3)* %299 to float*
  store float %298, float* %300, align 4, !tbaa !5
  %301 = shl i32 %1, 3
  %302 = add i32 %253, %301
  %303 = zext i32 %302 to i64
  %304 = getelementptr inbounds float, float* %14, i64 %303
  %305 = load float, float* %304, align 4, !tbaa !5
  %306 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %15
  %307 = addrspacecast float addrspace(3)* %306 to float*
  store float %305, float* %307, align 4, !tbaa !5
  %308 = mul i32 %1, 9
  %309 = add i32 %253, %308
  %310 = zext i32 %309 to i64
  %311 = getelementptr inbounds float, float* %14, i64 %310
  %312 = load float, float* %311, align 4, !tbaa !5
  %313 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %15
  %314 = addrspacecast float addrspace(3)* %313 to float*
  store float %312, float* %314, align 4, !tbaa !5
  %315 = mul i32 %1, 10
  %316 = add i32 %253, %315
  %317 = zext i32 %316 to i64
  %318 = getelementptr inbounds float, float* %14, i64 %317
  %319 = load float, float* %318, align 4, !tbaa !5
  %320 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %15
  %321 = addrspacecast float addrspace(3)* %320 to float*
  store float %319, float* %321, align 4, !tbaa !5
  %322 = mul i32 %1, 11
  %323 = add i32 %253, %322
  %324 = zext i32 %323 to i64
  %325 = getelementptr inbounds float, float* %14, i64 %324
  %326 = load float, float* %325, align 4, !tbaa !5
  %327 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %15
  %328 = addrspacecast float addrspace(3)* %327 to float*
  store float %326, float* %328, align 4, !tbaa !5
  %329 = mul i32 %1, 12
  %330 = add i32 %253, %329
  %331 = zext i32 %330 to i64
  %332 = getelementptr inbounds float, float* %14, i64 %331
  %333 = load float, float* %332, align 4, !tbaa !5
  %334 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %15
  %335 = addrspacecast float addrspace(3)* %334 to float*
  store float %333, float* %335, align 4, !tbaa !5
  %336 = mul i32 %1, 13
  %337 = add i32 %253, %336
  %338 = zext i32 %337 to i64
  %339 = getelementptr inbounds float, float* %14, i64 %338
  %340 = load float, float* %339, align 4, !tbaa !5
  %341 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %15
  %342 = addrspacecast float addrspace(3)* %341 to float*
  store float %340, float* %342, align 4, !tbaa !5
  %343 = mul i32 %1, 14
  %344 = add i32 %253, %343
  %345 = zext i32 %344 to i64
  %346 = getelementptr inbounds float, float* %14, i64 %345
  %347 = load float, float* %346, align 4, !tbaa !5
  %348 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %15
  %349 = addrspacecast float addrspace(3)* %348 to float*
  store float %347, float* %349, align 4, !tbaa !5
  %350 = mul i32 %1, 15
  %351 = add i32 %253, %350
  %352 = zext i32 %351 to i64
  %353 = getelementptr inbounds float, float* %14, i64 %352
  %354 = load float, float* %353, align 4, !tbaa !5
  %355 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 15, i64 %15
  %356 = addrspacecast float addrspace(3)* %355 to float*
  store float %354, float* %356, align 4, !tbaa !5
  br label %357

357:                                              ; preds = %16, %200
  tail call void @llvm.nvvm.barrier0()
  %358 = zext i32 %6 to i64
  br i1 %5, label %390, label %359

359:                                              ; preds = %357
  %360 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 0
  %361 = addrspacecast float addrspace(3)* %360 to float*
  %362 = load float, float* %361, align 4, !tbaa !5
  %363 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 0) to float*), align 4, !tbaa !5
  %364 = fdiv contract float %362, %363
  store float %364, float* %361, align 4, !tbaa !5
  %365 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %366 = addrspacecast float addrspace(3)* %365 to float*
  %367 = load float, float* %366, align 4, !tbaa !5
  %368 = fneg contract float %364
  %369 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 1) to float*), align 4, !tbaa !5
  %370 = tail call contract float @llvm.fma.f32(float %368, float %369, float %367) #4
  %371 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 1) to float*), align 4, !tbaa !5
  %372 = fdiv contract float %370, %371
  store float %372, float* %366, align 4, !tbaa !5
  %373 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %374 = addrspacecast float addrspace(3)* %373 to float*
  %375 = fneg contract float %372
  %376 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 2) to float*), align 4, !tbaa !5
  %377 = fneg contract float %364
  %378 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 2) to float*), align 4, !tbaa !5
  %379 = load float, float* %374, align 4, !tbaa !5
  %380 = tail call contract float @llvm.fma.f32(float %377, float %378, float %379) #4
  %381 = tail call contract float @llvm.fma.f32(float %375, float %376, float %380) #4
  %382 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 2) to float*), align 4, !tbaa !5
  %383 = fdiv contract float %381, %382
  store float %383, float* %374, align 4, !tbaa !5
  %384 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %385 = addrspacecast float addrspace(3)* %384 to float*
  %386 = load float, float* %385, align 4, !tbaa !5
  %387 = fneg contract float %364
  %388 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 3) to float*), align 4, !tbaa !5
  %389 = tail call contract float @llvm.fma.f32(float %387, float %388, float %386) #4
  br label %992

390:                                              ; preds = %357
  %391 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %358
  %392 = addrspacecast float addrspace(3)* %391 to float*
  %393 = load float, float* %392, align 4, !tbaa !5
  %394 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %358
  %395 = addrspacecast float addrspace(3)* %394 to float*
  %396 = load float, float* %395, align 4, !tbaa !5
  %397 = fneg contract float %396
  %398 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 0) to float*), align 4, !tbaa !5
  %399 = tail call contract float @llvm.fma.f32(float %397, float %398, float %393) #4
  store float %399, float* %392, align 4, !tbaa !5
  %400 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %358
  %401 = addrspacecast float addrspace(3)* %400 to float*
  %402 = load float, float* %401, align 4, !tbaa !5
  br label %403

403:                                              ; preds = %403, %390
  %404 = phi i32 [ %416, %403 ], [ 0, %390 ]
  %405 = phi float [ %415, %403 ], [ %402, %390 ]
  %406 = phi i32 [ %417, %403 ], [ 0, %390 ]
  %407 = zext i32 %404 to i64
  %408 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %407, i64 %358
  %409 = addrspacecast float addrspace(3)* %408 to float*
  %410 = load float, float* %409, align 4, !tbaa !5
  %411 = fneg contract float %410
  %412 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 %407
  %413 = addrspacecast float addrspace(3)* %412 to float*
  %414 = load float, float* %413, align 4, !tbaa !5
  %415 = tail call contract float @llvm.fma.f32(float %411, float %414, float %405) #4
  %416 = add nuw nsw i32 %404, 1
  %417 = add nuw nsw i32 %406, 1
  %418 = icmp eq i32 %417, 2
  br i1 %418, label %419, label %403, !llvm.loop !9

419:                                              ; preds = %403
  store float %415, float* %401, align 4, !tbaa !5
  %420 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %358
  %421 = addrspacecast float addrspace(3)* %420 to float*
  %422 = load float, float* %421, align 4, !tbaa !5
  br label %423

423:                                              ; preds = %423, %419
  %424 = phi i32 [ %436, %423 ], [ 0, %419 ]
  %425 = phi float [ %435, %423 ], [ %422, %419 ]
  %426 = phi i32 [ %437, %423 ], [ 0, %419 ]
  %427 = zext i32 %424 to i64
  %428 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %427, i64 %358
  %429 = addrspacecast float addrspace(3)* %428 to float*
  %430 = load float, float* %429, align 4, !tbaa !5
  %431 = fneg contract float %430
  %432 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 %427
  %433 = addrspacecast float addrspace(3)* %432 to float*
  %434 = load float, float* %433, align 4, !tbaa !5
  %435 = tail call contract float @llvm.fma.f32(float %431, float %434, float %425) #4
  %436 = add nuw nsw i32 %424, 1
  %437 = add nuw nsw i32 %426, 1
  %438 = icmp eq i32 %437, 3
  br i1 %438, label %439, label %423, !llvm.loop !9

439:                                              ; preds = %423
  store float %435, float* %421, align 4, !tbaa !5
  %440 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %358
  %441 = addrspacecast float addrspace(3)* %440 to float*
  %442 = load float, float* %441, align 4, !tbaa !5
  %443 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %358
  %444 = addrspacecast float addrspace(3)* %443 to float*
  %445 = load float, float* %444, align 4, !tbaa !5
  %446 = fneg contract float %445
  %447 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 0) to float*), align 4, !tbaa !5
  %448 = tail call contract float @llvm.fma.f32(float %446, float %447, float %442) #4
  %449 = fneg contract float %399
  %450 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 1) to float*), align 4, !tbaa !5
  %451 = tail call contract float @llvm.fma.f32(float %449, float %450, float %448) #4
  %452 = fneg contract float %415
  %453 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 2) to float*), align 4, !tbaa !5
  %454 = tail call contract float @llvm.fma.f32(float %452, float %453, float %451) #4
  %455 = fneg contract float %435
  %456 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 3) to float*), align 4, !tbaa !5
  %457 = tail call contract float @llvm.fma.f32(float %455, float %456, float %454) #4
  store float %457, float* %441, align 4, !tbaa !5
  %458 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %358
  %459 = addrspacecast float addrspace(3)* %458 to float*
  %460 = load float, float* %459, align 4, !tbaa !5
  %461 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %358
  %462 = addrspacecast float addrspace(3)* %461 to float*
  %463 = load float, float* %462, align 4, !tbaa !5
  %464 = fneg contract float %463
  %465 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 0) to float*), align 4, !tbaa !5
  %466 = tail call contract float @llvm.fma.f32(float %464, float %465, float %460) #4
  %467 = fneg contract float %399
  %468 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 1) to float*), align 4, !tbaa !5
  %469 = tail call contract float @llvm.fma.f32(float %467, float %468, float %466) #4
  %470 = fneg contract float %415
  %471 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 2) to float*), align 4, !tbaa !5
  %472 = tail call contract float @llvm.fma.f32(float %470, float %471, float %469) #4
  %473 = fneg contract float %435
  %474 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 3) to float*), align 4, !tbaa !5
  %475 = tail call contract float @llvm.fma.f32(float %473, float %474, float %472) #4
  %476 = fneg contract float %457
  %477 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 4) to float*), align 4, !tbaa !5
  %478 = tail call contract float @llvm.fma.f32(float %476, float %477, float %475) #4
  store float %478, float* %459, align 4, !tbaa !5
  %479 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %358
  %480 = addrspacecast float addrspace(3)* %479 to float*
  %481 = fneg contract float %478
  %482 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 5) to float*), align 4, !tbaa !5
  %483 = fneg contract float %457
  %484 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 4) to float*), align 4, !tbaa !5
  %485 = fneg contract float %435
  %486 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 3) to float*), align 4, !tbaa !5
  %487 = fneg contract float %415
  %488 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 2) to float*), align 4, !tbaa !5
  %489 = fneg contract float %399
  %490 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 1) to float*), align 4, !tbaa !5
  %491 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %358
  %492 = addrspacecast float addrspace(3)* %491 to float*
  %493 = load float, float* %492, align 4, !tbaa !5
  %494 = fneg contract float %493
  %495 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 0) to float*), align 4, !tbaa !5
  %496 = load float, float* %480, align 4, !tbaa !5
  %497 = tail call contract float @llvm.fma.f32(float %494, float %495, float %496) #4
  %498 = tail call contract float @llvm.fma.f32(float %489, float %490, float %497) #4
  %499 = tail call contract float @llvm.fma.f32(float %487, float %488, float %498) #4
  %500 = tail call contract float @llvm.fma.f32(float %485, float %486, float %499) #4
  %501 = tail call contract float @llvm.fma.f32(float %483, float %484, float %500) #4
  %502 = tail call contract float @llvm.fma.f32(float %481, float %482, float %501) #4
  store float %502, float* %480, align 4, !tbaa !5
  %503 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %358
  %504 = addrspacecast float addrspace(3)* %503 to float*
  %505 = load float, float* %504, align 4, !tbaa !5
  %506 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %358
  %507 = addrspacecast float addrspace(3)* %506 to float*
  %508 = load float, float* %507, align 4, !tbaa !5
  %509 = fneg contract float %508
  %510 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 0) to float*), align 4, !tbaa !5
  %511 = tail call contract float @llvm.fma.f32(float %509, float %510, float %505) #4
  %512 = fneg contract float %399
  %513 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 1) to float*), align 4, !tbaa !5
  %514 = tail call contract float @llvm.fma.f32(float %512, float %513, float %511) #4
  %515 = fneg contract float %415
  %516 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 2) to float*), align 4, !tbaa !5
  %517 = tail call contract float @llvm.fma.f32(float %515, float %516, float %514) #4
  %518 = fneg contract float %435
  %519 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 3) to float*), align 4, !tbaa !5
  %520 = tail call contract float @llvm.fma.f32(float %518, float %519, float %517) #4
  %521 = fneg contract float %457
  %522 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 4) to float*), align 4, !tbaa !5
  %523 = tail call contract float @llvm.fma.f32(float %521, float %522, float %520) #4
  br label %524

524:                                              ; preds = %439, %524
  %525 = phi i32 [ 1, %439 ], [ %539, %524 ]
  %526 = phi i32 [ 5, %439 ], [ %538, %524 ]
  %527 = phi float [ %523, %439 ], [ %537, %524 ]
  %528 = zext i32 %526 to i64
  %529 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %528, i64 %358
  %530 = addrspacecast float addrspace(3)* %529 to float*
  %531 = load float, float* %530, align 4, !tbaa !5
  %532 = zext i32 %526 to i64
  %533 = fneg contract float %531
  %534 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 %532
  %535 = addrspacecast float addrspace(3)* %534 to float*
  %536 = load float, float* %535, align 4, !tbaa !5
  %537 = tail call contract float @llvm.fma.f32(float %533, float %536, float %527) #4
  %538 = add nuw nsw i32 %526, 1
  %539 = add nuw nsw i32 %525, 1
  %540 = icmp eq i32 %539, 3
  br i1 %540, label %541, label %524, !llvm.loop !9

541:                                              ; preds = %524
  store float %537, float* %504, align 4, !tbaa !5
  %542 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %358
  %543 = addrspacecast float addrspace(3)* %542 to float*
  %544 = load float, float* %543, align 4, !tbaa !5
  br label %545

545:                                              ; preds = %545, %541
  %546 = phi i32 [ 0, %541 ], [ %587, %545 ]
  %547 = phi float [ %544, %541 ], [ %586, %545 ]
  %548 = zext i32 %546 to i64
  %549 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %548, i64 %358
  %550 = addrspacecast float addrspace(3)* %549 to float*
  %551 = load float, float* %550, align 4, !tbaa !5
  %552 = fneg contract float %551
  %553 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %548
  %554 = addrspacecast float addrspace(3)* %553 to float*
  %555 = load float, float* %554, align 4, !tbaa !5
  %556 = tail call contract float @llvm.fma.f32(float %552, float %555, float %547) #4
  %557 = or i32 %546, 1
  %558 = zext i32 %557 to i64
  %559 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %558, i64 %358
  %560 = addrspacecast float addrspace(3)* %559 to float*
  %561 = load float, float* %560, align 4, !tbaa !5
  %562 = fneg contract float %561
  %563 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %558
  %564 = addrspacecast float addrspace(3)* %563 to float*
  %565 = load float, float* %564, align 4, !tbaa !5
  %566 = tail call contract float @llvm.fma.f32(float %562, float %565, float %556) #4
  %567 = or i32 %546, 2
  %568 = zext i32 %567 to i64
  %569 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %568, i64 %358
  %570 = addrspacecast float addrspace(3)* %569 to float*
  %571 = load float, float* %570, align 4, !tbaa !5
  %572 = fneg contract float %571
  %573 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %568
  %574 = addrspacecast float addrspace(3)* %573 to float*
  %575 = load float, float* %574, align 4, !tbaa !5
  %576 = tail call contract float @llvm.fma.f32(float %572, float %575, float %566) #4
  %577 = or i32 %546, 3
  %578 = zext i32 %577 to i64
  %579 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %578, i64 %358
  %580 = addrspacecast float addrspace(3)* %579 to float*
  %581 = load float, float* %580, align 4, !tbaa !5
  %582 = fneg contract float %581
  %583 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %578
  %584 = addrspacecast float addrspace(3)* %583 to float*
  %585 = load float, float* %584, align 4, !tbaa !5
  %586 = tail call contract float @llvm.fma.f32(float %582, float %585, float %576) #4
  %587 = add nuw nsw i32 %546, 4
  %588 = icmp eq i32 %587, 8
  br i1 %588, label %589, label %545, !llvm.loop !11

589:                                              ; preds = %545
  store float %586, float* %543, align 4, !tbaa !5
  %590 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %358
  %591 = addrspacecast float addrspace(3)* %590 to float*
  %592 = load float, float* %591, align 4, !tbaa !5
  br label %593

593:                                              ; preds = %593, %589
  %594 = phi i32 [ 0, %589 ], [ %635, %593 ]
  %595 = phi float [ %592, %589 ], [ %634, %593 ]
  %596 = zext i32 %594 to i64
  %597 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %596, i64 %358
  %598 = addrspacecast float addrspace(3)* %597 to float*
  %599 = load float, float* %598, align 4, !tbaa !5
  %600 = fneg contract float %599
  %601 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %596
  %602 = addrspacecast float addrspace(3)* %601 to float*
  %603 = load float, float* %602, align 4, !tbaa !5
  %604 = tail call contract float @llvm.fma.f32(float %600, float %603, float %595) #4
  %605 = or i32 %594, 1
  %606 = zext i32 %605 to i64
  %607 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %606, i64 %358
  %608 = addrspacecast float addrspace(3)* %607 to float*
  %609 = load float, float* %608, align 4, !tbaa !5
  %610 = fneg contract float %609
  %611 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %606
  %612 = addrspacecast float addrspace(3)* %611 to float*
  %613 = load float, float* %612, align 4, !tbaa !5
  %614 = tail call contract float @llvm.fma.f32(float %610, float %613, float %604) #4
  %615 = or i32 %594, 2
  %616 = zext i32 %615 to i64
  %617 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %616, i64 %358
  %618 = addrspacecast float addrspace(3)* %617 to float*
  %619 = load float, float* %618, align 4, !tbaa !5
  %620 = fneg contract float %619
  %621 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %616
  %622 = addrspacecast float addrspace(3)* %621 to float*
  %623 = load float, float* %622, align 4, !tbaa !5
  %624 = tail call contract float @llvm.fma.f32(float %620, float %623, float %614) #4
  %625 = or i32 %594, 3
  %626 = zext i32 %625 to i64
  %627 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %626, i64 %358
  %628 = addrspacecast float addrspace(3)* %627 to float*
  %629 = load float, float* %628, align 4, !tbaa !5
  %630 = fneg contract float %629
  %631 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %626
  %632 = addrspacecast float addrspace(3)* %631 to float*
  %633 = load float, float* %632, align 4, !tbaa !5
  %634 = tail call contract float @llvm.fma.f32(float %630, float %633, float %624) #4
  %635 = add nuw nsw i32 %594, 4
  %636 = icmp eq i32 %635, 8
  br i1 %636, label %637, label %593, !llvm.loop !11

637:                                              ; preds = %593
  %638 = fneg contract float %586
  %639 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 8) to float*), align 4, !tbaa !5
  %640 = tail call contract float @llvm.fma.f32(float %638, float %639, float %634) #4
  store float %640, float* %591, align 4, !tbaa !5
  %641 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %358
  %642 = addrspacecast float addrspace(3)* %641 to float*
  %643 = load float, float* %642, align 4, !tbaa !5
  br label %644

644:                                              ; preds = %644, %637
  %645 = phi i32 [ 0, %637 ], [ %686, %644 ]
  %646 = phi float [ %643, %637 ], [ %685, %644 ]
  %647 = zext i32 %645 to i64
  %648 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %647, i64 %358
  %649 = addrspacecast float addrspace(3)* %648 to float*
  %650 = load float, float* %649, align 4, !tbaa !5
  %651 = fneg contract float %650
  %652 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %647
  %653 = addrspacecast float addrspace(3)* %652 to float*
  %654 = load float, float* %653, align 4, !tbaa !5
  %655 = tail call contract float @llvm.fma.f32(float %651, float %654, float %646) #4
  %656 = or i32 %645, 1
  %657 = zext i32 %656 to i64
  %658 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %657, i64 %358
  %659 = addrspacecast float addrspace(3)* %658 to float*
  %660 = load float, float* %659, align 4, !tbaa !5
  %661 = fneg contract float %660
  %662 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %657
  %663 = addrspacecast float addrspace(3)* %662 to float*
  %664 = load float, float* %663, align 4, !tbaa !5
  %665 = tail call contract float @llvm.fma.f32(float %661, float %664, float %655) #4
  %666 = or i32 %645, 2
  %667 = zext i32 %666 to i64
  %668 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %667, i64 %358
  %669 = addrspacecast float addrspace(3)* %668 to float*
  %670 = load float, float* %669, align 4, !tbaa !5
  %671 = fneg contract float %670
  %672 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %667
  %673 = addrspacecast float addrspace(3)* %672 to float*
  %674 = load float, float* %673, align 4, !tbaa !5
  %675 = tail call contract float @llvm.fma.f32(float %671, float %674, float %665) #4
  %676 = or i32 %645, 3
  %677 = zext i32 %676 to i64
  %678 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %677, i64 %358
  %679 = addrspacecast float addrspace(3)* %678 to float*
  %680 = load float, float* %679, align 4, !tbaa !5
  %681 = fneg contract float %680
  %682 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %677
  %683 = addrspacecast float addrspace(3)* %682 to float*
  %684 = load float, float* %683, align 4, !tbaa !5
  %685 = tail call contract float @llvm.fma.f32(float %681, float %684, float %675) #4
  %686 = add nuw nsw i32 %645, 4
  %687 = icmp eq i32 %686, 8
  br i1 %687, label %688, label %644, !llvm.loop !11

688:                                              ; preds = %644
  %689 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %358
  %690 = addrspacecast float addrspace(3)* %689 to float*
  %691 = load float, float* %690, align 4, !tbaa !5
  %692 = fneg contract float %691
  %693 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 9) to float*), align 4, !tbaa !5
  %694 = fneg contract float %586
  %695 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 8) to float*), align 4, !tbaa !5
  %696 = tail call contract float @llvm.fma.f32(float %694, float %695, float %685) #4
  %697 = tail call contract float @llvm.fma.f32(float %692, float %693, float %696) #4
  store float %697, float* %642, align 4, !tbaa !5
  %698 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %358
  %699 = addrspacecast float addrspace(3)* %698 to float*
  %700 = load float, float* %699, align 4, !tbaa !5
  br label %701

701:                                              ; preds = %701, %688
  %702 = phi i32 [ 0, %688 ], [ %743, %701 ]
  %703 = phi float [ %700, %688 ], [ %742, %701 ]
  %704 = zext i32 %702 to i64
  %705 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %704, i64 %358
  %706 = addrspacecast float addrspace(3)* %705 to float*
  %707 = load float, float* %706, align 4, !tbaa !5
  %708 = fneg contract float %707
  %709 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %704
  %710 = addrspacecast float addrspace(3)* %709 to float*
  %711 = load float, float* %710, align 4, !tbaa !5
  %712 = tail call contract float @llvm.fma.f32(float %708, float %711, float %703) #4
  %713 = or i32 %702, 1
  %714 = zext i32 %713 to i64
  %715 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %714, i64 %358
  %716 = addrspacecast float addrspace(3)* %715 to float*
  %717 = load float, float* %716, align 4, !tbaa !5
  %718 = fneg contract float %717
  %719 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %714
  %720 = addrspacecast float addrspace(3)* %719 to float*
  %721 = load float, float* %720, align 4, !tbaa !5
  %722 = tail call contract float @llvm.fma.f32(float %718, float %721, float %712) #4
  %723 = or i32 %702, 2
  %724 = zext i32 %723 to i64
  %725 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %724, i64 %358
  %726 = addrspacecast float addrspace(3)* %725 to float*
  %727 = load float, float* %726, align 4, !tbaa !5
  %728 = fneg contract float %727
  %729 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %724
  %730 = addrspacecast float addrspace(3)* %729 to float*
  %731 = load float, float* %730, align 4, !tbaa !5
  %732 = tail call contract float @llvm.fma.f32(float %728, float %731, float %722) #4
  %733 = or i32 %702, 3
  %734 = zext i32 %733 to i64
  %735 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %734, i64 %358
  %736 = addrspacecast float addrspace(3)* %735 to float*
  %737 = load float, float* %736, align 4, !tbaa !5
  %738 = fneg contract float %737
  %739 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %734
  %740 = addrspacecast float addrspace(3)* %739 to float*
  %741 = load float, float* %740, align 4, !tbaa !5
  %742 = tail call contract float @llvm.fma.f32(float %738, float %741, float %732) #4
  %743 = add nuw nsw i32 %702, 4
  %744 = icmp eq i32 %743, 8
  br i1 %744, label %745, label %701, !llvm.loop !11

745:                                              ; preds = %701
  %746 = fneg contract float %586
  %747 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 8) to float*), align 4, !tbaa !5
  %748 = tail call contract float @llvm.fma.f32(float %746, float %747, float %742) #4
  br label %749

749:                                              ; preds = %745, %749
  %750 = phi i32 [ 1, %745 ], [ %764, %749 ]
  %751 = phi i32 [ 9, %745 ], [ %763, %749 ]
  %752 = phi float [ %748, %745 ], [ %762, %749 ]
  %753 = zext i32 %751 to i64
  %754 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %753, i64 %358
  %755 = addrspacecast float addrspace(3)* %754 to float*
  %756 = load float, float* %755, align 4, !tbaa !5
  %757 = zext i32 %751 to i64
  %758 = fneg contract float %756
  %759 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %757
  %760 = addrspacecast float addrspace(3)* %759 to float*
  %761 = load float, float* %760, align 4, !tbaa !5
  %762 = tail call contract float @llvm.fma.f32(float %758, float %761, float %752) #4
  %763 = add nuw nsw i32 %751, 1
  %764 = add nuw nsw i32 %750, 1
  %765 = icmp eq i32 %764, 3
  br i1 %765, label %766, label %749, !llvm.loop !9

766:                                              ; preds = %749
  store float %762, float* %699, align 4, !tbaa !5
  %767 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %358
  %768 = addrspacecast float addrspace(3)* %767 to float*
  %769 = load float, float* %768, align 4, !tbaa !5
  br label %770

770:                                              ; preds = %770, %766
  %771 = phi i32 [ 0, %766 ], [ %812, %770 ]
  %772 = phi float [ %769, %766 ], [ %811, %770 ]
  %773 = zext i32 %771 to i64
  %774 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %773, i64 %358
  %775 = addrspacecast float addrspace(3)* %774 to float*
  %776 = load float, float* %775, align 4, !tbaa !5
  %777 = fneg contract float %776
  %778 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %773
  %779 = addrspacecast float addrspace(3)* %778 to float*
  %780 = load float, float* %779, align 4, !tbaa !5
  %781 = tail call contract float @llvm.fma.f32(float %777, float %780, float %772) #4
  %782 = or i32 %771, 1
  %783 = zext i32 %782 to i64
  %784 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %783, i64 %358
  %785 = addrspacecast float addrspace(3)* %784 to float*
  %786 = load float, float* %785, align 4, !tbaa !5
  %787 = fneg contract float %786
  %788 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %783
  %789 = addrspacecast float addrspace(3)* %788 to float*
  %790 = load float, float* %789, align 4, !tbaa !5
  %791 = tail call contract float @llvm.fma.f32(float %787, float %790, float %781) #4
  %792 = or i32 %771, 2
  %793 = zext i32 %792 to i64
  %794 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %793, i64 %358
  %795 = addrspacecast float addrspace(3)* %794 to float*
  %796 = load float, float* %795, align 4, !tbaa !5
  %797 = fneg contract float %796
  %798 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %793
  %799 = addrspacecast float addrspace(3)* %798 to float*
  %800 = load float, float* %799, align 4, !tbaa !5
  %801 = tail call contract float @llvm.fma.f32(float %797, float %800, float %791) #4
  %802 = or i32 %771, 3
  %803 = zext i32 %802 to i64
  %804 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %803, i64 %358
  %805 = addrspacecast float addrspace(3)* %804 to float*
  %806 = load float, float* %805, align 4, !tbaa !5
  %807 = fneg contract float %806
  %808 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %803
  %809 = addrspacecast float addrspace(3)* %808 to float*
  %810 = load float, float* %809, align 4, !tbaa !5
  %811 = tail call contract float @llvm.fma.f32(float %807, float %810, float %801) #4
  %812 = add nuw nsw i32 %771, 4
  %813 = icmp eq i32 %812, 12
  br i1 %813, label %814, label %770, !llvm.loop !11

814:                                              ; preds = %770
  store float %811, float* %768, align 4, !tbaa !5
  %815 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %358
  %816 = addrspacecast float addrspace(3)* %815 to float*
  %817 = load float, float* %816, align 4, !tbaa !5
  br label %818

818:                                              ; preds = %818, %814
  %819 = phi i32 [ 0, %814 ], [ %860, %818 ]
  %820 = phi float [ %817, %814 ], [ %859, %818 ]
  %821 = zext i32 %819 to i64
  %822 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %821, i64 %358
  %823 = addrspacecast float addrspace(3)* %822 to float*
  %824 = load float, float* %823, align 4, !tbaa !5
  %825 = fneg contract float %824
  %826 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %821
  %827 = addrspacecast float addrspace(3)* %826 to float*
  %828 = load float, float* %827, align 4, !tbaa !5
  %829 = tail call contract float @llvm.fma.f32(float %825, float %828, float %820) #4
  %830 = or i32 %819, 1
  %831 = zext i32 %830 to i64
  %832 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %831, i64 %358
  %833 = addrspacecast float addrspace(3)* %832 to float*
  %834 = load float, float* %833, align 4, !tbaa !5
  %835 = fneg contract float %834
  %836 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %831
  %837 = addrspacecast float addrspace(3)* %836 to float*
  %838 = load float, float* %837, align 4, !tbaa !5
  %839 = tail call contract float @llvm.fma.f32(float %835, float %838, float %829) #4
  %840 = or i32 %819, 2
  %841 = zext i32 %840 to i64
  %842 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %841, i64 %358
  %843 = addrspacecast float addrspace(3)* %842 to float*
  %844 = load float, float* %843, align 4, !tbaa !5
  %845 = fneg contract float %844
  %846 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %841
  %847 = addrspacecast float addrspace(3)* %846 to float*
  %848 = load float, float* %847, align 4, !tbaa !5
  %849 = tail call contract float @llvm.fma.f32(float %845, float %848, float %839) #4
  %850 = or i32 %819, 3
  %851 = zext i32 %850 to i64
  %852 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %851, i64 %358
  %853 = addrspacecast float addrspace(3)* %852 to float*
  %854 = load float, float* %853, align 4, !tbaa !5
  %855 = fneg contract float %854
  %856 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %851
  %857 = addrspacecast float addrspace(3)* %856 to float*
  %858 = load float, float* %857, align 4, !tbaa !5
  %859 = tail call contract float @llvm.fma.f32(float %855, float %858, float %849) #4
  %860 = add nuw nsw i32 %819, 4
  %861 = icmp eq i32 %860, 12
  br i1 %861, label %862, label %818, !llvm.loop !11

862:                                              ; preds = %818
  %863 = fneg contract float %811
  %864 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 12) to float*), align 4, !tbaa !5
  %865 = tail call contract float @llvm.fma.f32(float %863, float %864, float %859) #4
  store float %865, float* %816, align 4, !tbaa !5
  %866 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %358
  %867 = addrspacecast float addrspace(3)* %866 to float*
  %868 = load float, float* %867, align 4, !tbaa !5
  br label %869

869:                                              ; preds = %869, %862
  %870 = phi i32 [ 0, %862 ], [ %911, %869 ]
  %871 = phi float [ %868, %862 ], [ %910, %869 ]
  %872 = zext i32 %870 to i64
  %873 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %872, i64 %358
  %874 = addrspacecast float addrspace(3)* %873 to float*
  %875 = load float, float* %874, align 4, !tbaa !5
  %876 = fneg contract float %875
  %877 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %872
  %878 = addrspacecast float addrspace(3)* %877 to float*
  %879 = load float, float* %878, align 4, !tbaa !5
  %880 = tail call contract float @llvm.fma.f32(float %876, float %879, float %871) #4
  %881 = or i32 %870, 1
  %882 = zext i32 %881 to i64
  %883 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %882, i64 %358
  %884 = addrspacecast float addrspace(3)* %883 to float*
  %885 = load float, float* %884, align 4, !tbaa !5
  %886 = fneg contract float %885
  %887 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %882
  %888 = addrspacecast float addrspace(3)* %887 to float*
  %889 = load float, float* %888, align 4, !tbaa !5
  %890 = tail call contract float @llvm.fma.f32(float %886, float %889, float %880) #4
  %891 = or i32 %870, 2
  %892 = zext i32 %891 to i64
  %893 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %892, i64 %358
  %894 = addrspacecast float addrspace(3)* %893 to float*
  %895 = load float, float* %894, align 4, !tbaa !5
  %896 = fneg contract float %895
  %897 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %892
  %898 = addrspacecast float addrspace(3)* %897 to float*
  %899 = load float, float* %898, align 4, !tbaa !5
  %900 = tail call contract float @llvm.fma.f32(float %896, float %899, float %890) #4
  %901 = or i32 %870, 3
  %902 = zext i32 %901 to i64
  %903 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %902, i64 %358
  %904 = addrspacecast float addrspace(3)* %903 to float*
  %905 = load float, float* %904, align 4, !tbaa !5
  %906 = fneg contract float %905
  %907 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %902
  %908 = addrspacecast float addrspace(3)* %907 to float*
  %909 = load float, float* %908, align 4, !tbaa !5
  %910 = tail call contract float @llvm.fma.f32(float %906, float %909, float %900) #4
  %911 = add nuw nsw i32 %870, 4
  %912 = icmp eq i32 %911, 12
  br i1 %912, label %913, label %869, !llvm.loop !11

913:                                              ; preds = %869
  %914 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %358
  %915 = addrspacecast float addrspace(3)* %914 to float*
  %916 = load float, float* %915, align 4, !tbaa !5
  %917 = fneg contract float %916
  %918 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 13) to float*), align 4, !tbaa !5
  %919 = fneg contract float %811
  %920 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 12) to float*), align 4, !tbaa !5
  %921 = tail call contract float @llvm.fma.f32(float %919, float %920, float %910) #4
  %922 = tail call contract float @llvm.fma.f32(float %917, float %918, float %921) #4
  store float %922, float* %867, align 4, !tbaa !5
  %923 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 15, i64 %358
  %924 = addrspacecast float addrspace(3)* %923 to float*
  %925 = load float, float* %924, align 4, !tbaa !5
  br label %926

926:                                              ; preds = %926, %913
  %927 = phi i32 [ 0, %913 ], [ %968, %926 ]
  %928 = phi float [ %925, %913 ], [ %967, %926 ]
  %929 = zext i32 %927 to i64
  %930 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %929, i64 %358
  %931 = addrspacecast float addrspace(3)* %930 to float*
  %932 = load float, float* %931, align 4, !tbaa !5
  %933 = fneg contract float %932
  %934 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %929
  %935 = addrspacecast float addrspace(3)* %934 to float*
  %936 = load float, float* %935, align 4, !tbaa !5
  %937 = tail call contract float @llvm.fma.f32(float %933, float %936, float %928) #4
  %938 = or i32 %927, 1
  %939 = zext i32 %938 to i64
  %940 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %939, i64 %358
  %941 = addrspacecast float addrspace(3)* %940 to float*
  %942 = load float, float* %941, align 4, !tbaa !5
  %943 = fneg contract float %942
  %944 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %939
  %945 = addrspacecast float addrspace(3)* %944 to float*
  %946 = load float, float* %945, align 4, !tbaa !5
  %947 = tail call contract float @llvm.fma.f32(float %943, float %946, float %937) #4
  %948 = or i32 %927, 2
  %949 = zext i32 %948 to i64
  %950 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %949, i64 %358
  %951 = addrspacecast float addrspace(3)* %950 to float*
  %952 = load float, float* %951, align 4, !tbaa !5
  %953 = fneg contract float %952
  %954 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %949
  %955 = addrspacecast float addrspace(3)* %954 to float*
  %956 = load float, float* %955, align 4, !tbaa !5
  %957 = tail call contract float @llvm.fma.f32(float %953, float %956, float %947) #4
  %958 = or i32 %927, 3
  %959 = zext i32 %958 to i64
  %960 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %959, i64 %358
  %961 = addrspacecast float addrspace(3)* %960 to float*
  %962 = load float, float* %961, align 4, !tbaa !5
  %963 = fneg contract float %962
  %964 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %959
  %965 = addrspacecast float addrspace(3)* %964 to float*
  %966 = load float, float* %965, align 4, !tbaa !5
  %967 = tail call contract float @llvm.fma.f32(float %963, float %966, float %957) #4
  %968 = add nuw nsw i32 %927, 4
  %969 = icmp eq i32 %968, 12
  br i1 %969, label %970, label %926, !llvm.loop !11

970:                                              ; preds = %926
  %971 = fneg contract float %811
  %972 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 12) to float*), align 4, !tbaa !5
  %973 = tail call contract float @llvm.fma.f32(float %971, float %972, float %967) #4
  br label %974

974:                                              ; preds = %970, %974
  %975 = phi i32 [ 1, %970 ], [ %989, %974 ]
  %976 = phi i32 [ 13, %970 ], [ %988, %974 ]
  %977 = phi float [ %973, %970 ], [ %987, %974 ]
  %978 = zext i32 %976 to i64
  %979 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %978, i64 %358
  %980 = addrspacecast float addrspace(3)* %979 to float*
  %981 = load float, float* %980, align 4, !tbaa !5
  %982 = zext i32 %976 to i64
  %983 = fneg contract float %981
  %984 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %982
  %985 = addrspacecast float addrspace(3)* %984 to float*
  %986 = load float, float* %985, align 4, !tbaa !5
  %987 = tail call contract float @llvm.fma.f32(float %983, float %986, float %977) #4
  %988 = add nuw nsw i32 %976, 1
  %989 = add nuw nsw i32 %975, 1
  %990 = icmp eq i32 %989, 3
  br i1 %990, label %991, label %974, !llvm.loop !9

991:                                              ; preds = %974
  store float %987, float* %924, align 4, !tbaa !5
  br label %1672

992:                                              ; preds = %359, %992
  %993 = phi i32 [ 1, %359 ], [ %1007, %992 ]
  %994 = phi i32 [ 1, %359 ], [ %1006, %992 ]
  %995 = phi float [ %389, %359 ], [ %1005, %992 ]
  %996 = zext i32 %994 to i64
  %997 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 %996
  %998 = addrspacecast float addrspace(3)* %997 to float*
  %999 = load float, float* %998, align 4, !tbaa !5
  %1000 = zext i32 %994 to i64
  %1001 = fneg contract float %999
  %1002 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1000, i64 3
  %1003 = addrspacecast float addrspace(3)* %1002 to float*
  %1004 = load float, float* %1003, align 4, !tbaa !5
  %1005 = tail call contract float @llvm.fma.f32(float %1001, float %1004, float %995) #4
  %1006 = add nuw nsw i32 %994, 1
  %1007 = add nuw nsw i32 %993, 1
  %1008 = icmp eq i32 %1007, 3
  br i1 %1008, label %1009, label %992, !llvm.loop !13

1009:                                             ; preds = %992
  %1010 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 3) to float*), align 4, !tbaa !5
  %1011 = fdiv contract float %1005, %1010
  store float %1011, float* %385, align 4, !tbaa !5
  %1012 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1013 = addrspacecast float addrspace(3)* %1012 to float*
  %1014 = load float, float* %1013, align 4, !tbaa !5
  %1015 = fneg contract float %364
  %1016 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 4) to float*), align 4, !tbaa !5
  %1017 = tail call contract float @llvm.fma.f32(float %1015, float %1016, float %1014) #4
  %1018 = fneg contract float %372
  %1019 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 4) to float*), align 4, !tbaa !5
  %1020 = tail call contract float @llvm.fma.f32(float %1018, float %1019, float %1017) #4
  %1021 = fneg contract float %383
  %1022 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 4) to float*), align 4, !tbaa !5
  %1023 = tail call contract float @llvm.fma.f32(float %1021, float %1022, float %1020) #4
  %1024 = fneg contract float %1011
  %1025 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 4) to float*), align 4, !tbaa !5
  %1026 = tail call contract float @llvm.fma.f32(float %1024, float %1025, float %1023) #4
  %1027 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 4) to float*), align 4, !tbaa !5
  %1028 = fdiv contract float %1026, %1027
  store float %1028, float* %1013, align 4, !tbaa !5
  %1029 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1030 = addrspacecast float addrspace(3)* %1029 to float*
  %1031 = load float, float* %1030, align 4, !tbaa !5
  %1032 = fneg contract float %364
  %1033 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 5) to float*), align 4, !tbaa !5
  %1034 = tail call contract float @llvm.fma.f32(float %1032, float %1033, float %1031) #4
  %1035 = fneg contract float %372
  %1036 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 5) to float*), align 4, !tbaa !5
  %1037 = tail call contract float @llvm.fma.f32(float %1035, float %1036, float %1034) #4
  %1038 = fneg contract float %383
  %1039 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 5) to float*), align 4, !tbaa !5
  %1040 = tail call contract float @llvm.fma.f32(float %1038, float %1039, float %1037) #4
  %1041 = fneg contract float %1011
  %1042 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 5) to float*), align 4, !tbaa !5
  %1043 = tail call contract float @llvm.fma.f32(float %1041, float %1042, float %1040) #4
  %1044 = fneg contract float %1028
  %1045 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 5) to float*), align 4, !tbaa !5
  %1046 = tail call contract float @llvm.fma.f32(float %1044, float %1045, float %1043) #4
  %1047 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 5) to float*), align 4, !tbaa !5
  %1048 = fdiv contract float %1046, %1047
  store float %1048, float* %1030, align 4, !tbaa !5
  %1049 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1050 = addrspacecast float addrspace(3)* %1049 to float*
  %1051 = fneg contract float %1048
  %1052 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 6) to float*), align 4, !tbaa !5
  %1053 = fneg contract float %1028
  %1054 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 6) to float*), align 4, !tbaa !5
  %1055 = fneg contract float %1011
  %1056 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 6) to float*), align 4, !tbaa !5
  %1057 = fneg contract float %383
  %1058 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 6) to float*), align 4, !tbaa !5
  %1059 = fneg contract float %372
  %1060 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 6) to float*), align 4, !tbaa !5
  %1061 = fneg contract float %364
  %1062 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 6) to float*), align 4, !tbaa !5
  %1063 = load float, float* %1050, align 4, !tbaa !5
  %1064 = tail call contract float @llvm.fma.f32(float %1061, float %1062, float %1063) #4
  %1065 = tail call contract float @llvm.fma.f32(float %1059, float %1060, float %1064) #4
  %1066 = tail call contract float @llvm.fma.f32(float %1057, float %1058, float %1065) #4
  %1067 = tail call contract float @llvm.fma.f32(float %1055, float %1056, float %1066) #4
  %1068 = tail call contract float @llvm.fma.f32(float %1053, float %1054, float %1067) #4
  %1069 = tail call contract float @llvm.fma.f32(float %1051, float %1052, float %1068) #4
  %1070 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 6) to float*), align 4, !tbaa !5
  %1071 = fdiv contract float %1069, %1070
  store float %1071, float* %1050, align 4, !tbaa !5
  %1072 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1073 = addrspacecast float addrspace(3)* %1072 to float*
  %1074 = load float, float* %1073, align 4, !tbaa !5
  %1075 = fneg contract float %364
  %1076 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 7) to float*), align 4, !tbaa !5
  %1077 = tail call contract float @llvm.fma.f32(float %1075, float %1076, float %1074) #4
  %1078 = fneg contract float %372
  %1079 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 7) to float*), align 4, !tbaa !5
  %1080 = tail call contract float @llvm.fma.f32(float %1078, float %1079, float %1077) #4
  %1081 = fneg contract float %383
  %1082 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 7) to float*), align 4, !tbaa !5
  %1083 = tail call contract float @llvm.fma.f32(float %1081, float %1082, float %1080) #4
  %1084 = fneg contract float %1011
  %1085 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 7) to float*), align 4, !tbaa !5
  %1086 = tail call contract float @llvm.fma.f32(float %1084, float %1085, float %1083) #4
  %1087 = fneg contract float %1028
  %1088 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 7) to float*), align 4, !tbaa !5
  %1089 = tail call contract float @llvm.fma.f32(float %1087, float %1088, float %1086) #4
  br label %1090

1090:                                             ; preds = %1009, %1090
  %1091 = phi i32 [ 1, %1009 ], [ %1105, %1090 ]
  %1092 = phi i32 [ 5, %1009 ], [ %1104, %1090 ]
  %1093 = phi float [ %1089, %1009 ], [ %1103, %1090 ]
  %1094 = zext i32 %1092 to i64
  %1095 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 %1094
  %1096 = addrspacecast float addrspace(3)* %1095 to float*
  %1097 = load float, float* %1096, align 4, !tbaa !5
  %1098 = zext i32 %1092 to i64
  %1099 = fneg contract float %1097
  %1100 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1098, i64 7
  %1101 = addrspacecast float addrspace(3)* %1100 to float*
  %1102 = load float, float* %1101, align 4, !tbaa !5
  %1103 = tail call contract float @llvm.fma.f32(float %1099, float %1102, float %1093) #4
  %1104 = add nuw nsw i32 %1092, 1
  %1105 = add nuw nsw i32 %1091, 1
  %1106 = icmp eq i32 %1105, 3
  br i1 %1106, label %1107, label %1090, !llvm.loop !13

1107:                                             ; preds = %1090
  %1108 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 7) to float*), align 4, !tbaa !5
  %1109 = fdiv contract float %1103, %1108
  store float %1109, float* %1073, align 4, !tbaa !5
  %1110 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 8
  %1111 = addrspacecast float addrspace(3)* %1110 to float*
  %1112 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1113 = addrspacecast float addrspace(3)* %1112 to float*
  %1114 = load float, float* %1113, align 4, !tbaa !5
  %1115 = fneg contract float %1114
  %1116 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 8) to float*), align 4, !tbaa !5
  %1117 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1118 = addrspacecast float addrspace(3)* %1117 to float*
  %1119 = load float, float* %1118, align 4, !tbaa !5
  %1120 = fneg contract float %1119
  %1121 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 8) to float*), align 4, !tbaa !5
  %1122 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1123 = addrspacecast float addrspace(3)* %1122 to float*
  %1124 = load float, float* %1123, align 4, !tbaa !5
  %1125 = fneg contract float %1124
  %1126 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 8) to float*), align 4, !tbaa !5
  %1127 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1128 = addrspacecast float addrspace(3)* %1127 to float*
  %1129 = load float, float* %1128, align 4, !tbaa !5
  %1130 = fneg contract float %1129
  %1131 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 8) to float*), align 4, !tbaa !5
  %1132 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1133 = addrspacecast float addrspace(3)* %1132 to float*
  %1134 = load float, float* %1133, align 4, !tbaa !5
  %1135 = fneg contract float %1134
  %1136 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 8) to float*), align 4, !tbaa !5
  %1137 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1138 = addrspacecast float addrspace(3)* %1137 to float*
  %1139 = load float, float* %1138, align 4, !tbaa !5
  %1140 = fneg contract float %1139
  %1141 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 8) to float*), align 4, !tbaa !5
  %1142 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1143 = addrspacecast float addrspace(3)* %1142 to float*
  %1144 = load float, float* %1143, align 4, !tbaa !5
  %1145 = fneg contract float %1144
  %1146 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 8) to float*), align 4, !tbaa !5
  %1147 = fneg contract float %364
  %1148 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 8) to float*), align 4, !tbaa !5
  %1149 = load float, float* %1111, align 4, !tbaa !5
  %1150 = tail call contract float @llvm.fma.f32(float %1147, float %1148, float %1149) #4
  %1151 = tail call contract float @llvm.fma.f32(float %1145, float %1146, float %1150) #4
  %1152 = tail call contract float @llvm.fma.f32(float %1140, float %1141, float %1151) #4
  %1153 = tail call contract float @llvm.fma.f32(float %1135, float %1136, float %1152) #4
  %1154 = tail call contract float @llvm.fma.f32(float %1130, float %1131, float %1153) #4
  %1155 = tail call contract float @llvm.fma.f32(float %1125, float %1126, float %1154) #4
  %1156 = tail call contract float @llvm.fma.f32(float %1120, float %1121, float %1155) #4
  %1157 = tail call contract float @llvm.fma.f32(float %1115, float %1116, float %1156) #4
  %1158 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 8) to float*), align 4, !tbaa !5
  %1159 = fdiv contract float %1157, %1158
  store float %1159, float* %1111, align 4, !tbaa !5
  %1160 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1161 = addrspacecast float addrspace(3)* %1160 to float*
  %1162 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1163 = addrspacecast float addrspace(3)* %1162 to float*
  %1164 = load float, float* %1163, align 4, !tbaa !5
  %1165 = fneg contract float %1164
  %1166 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 9) to float*), align 4, !tbaa !5
  %1167 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1168 = addrspacecast float addrspace(3)* %1167 to float*
  %1169 = load float, float* %1168, align 4, !tbaa !5
  %1170 = fneg contract float %1169
  %1171 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 9) to float*), align 4, !tbaa !5
  %1172 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1173 = addrspacecast float addrspace(3)* %1172 to float*
  %1174 = load float, float* %1173, align 4, !tbaa !5
  %1175 = fneg contract float %1174
  %1176 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 9) to float*), align 4, !tbaa !5
  %1177 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1178 = addrspacecast float addrspace(3)* %1177 to float*
  %1179 = load float, float* %1178, align 4, !tbaa !5
  %1180 = fneg contract float %1179
  %1181 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 9) to float*), align 4, !tbaa !5
  %1182 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1183 = addrspacecast float addrspace(3)* %1182 to float*
  %1184 = load float, float* %1183, align 4, !tbaa !5
  %1185 = fneg contract float %1184
  %1186 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 9) to float*), align 4, !tbaa !5
  %1187 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1188 = addrspacecast float addrspace(3)* %1187 to float*
  %1189 = load float, float* %1188, align 4, !tbaa !5
  %1190 = fneg contract float %1189
  %1191 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 9) to float*), align 4, !tbaa !5
  %1192 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1193 = addrspacecast float addrspace(3)* %1192 to float*
  %1194 = load float, float* %1193, align 4, !tbaa !5
  %1195 = fneg contract float %1194
  %1196 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 9) to float*), align 4, !tbaa !5
  %1197 = fneg contract float %364
  %1198 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 9) to float*), align 4, !tbaa !5
  %1199 = load float, float* %1161, align 4, !tbaa !5
  %1200 = tail call contract float @llvm.fma.f32(float %1197, float %1198, float %1199) #4
  %1201 = tail call contract float @llvm.fma.f32(float %1195, float %1196, float %1200) #4
  %1202 = tail call contract float @llvm.fma.f32(float %1190, float %1191, float %1201) #4
  %1203 = tail call contract float @llvm.fma.f32(float %1185, float %1186, float %1202) #4
  %1204 = tail call contract float @llvm.fma.f32(float %1180, float %1181, float %1203) #4
  %1205 = tail call contract float @llvm.fma.f32(float %1175, float %1176, float %1204) #4
  %1206 = tail call contract float @llvm.fma.f32(float %1170, float %1171, float %1205) #4
  %1207 = tail call contract float @llvm.fma.f32(float %1165, float %1166, float %1206) #4
  %1208 = fneg contract float %1159
  %1209 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 9) to float*), align 4, !tbaa !5
  %1210 = tail call contract float @llvm.fma.f32(float %1208, float %1209, float %1207) #4
  %1211 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 9) to float*), align 4, !tbaa !5
  %1212 = fdiv contract float %1210, %1211
  store float %1212, float* %1161, align 4, !tbaa !5
  %1213 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 10
  %1214 = addrspacecast float addrspace(3)* %1213 to float*
  %1215 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1216 = addrspacecast float addrspace(3)* %1215 to float*
  %1217 = load float, float* %1216, align 4, !tbaa !5
  %1218 = fneg contract float %1217
  %1219 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 10) to float*), align 4, !tbaa !5
  %1220 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1221 = addrspacecast float addrspace(3)* %1220 to float*
  %1222 = load float, float* %1221, align 4, !tbaa !5
  %1223 = fneg contract float %1222
  %1224 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 10) to float*), align 4, !tbaa !5
  %1225 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1226 = addrspacecast float addrspace(3)* %1225 to float*
  %1227 = load float, float* %1226, align 4, !tbaa !5
  %1228 = fneg contract float %1227
  %1229 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 10) to float*), align 4, !tbaa !5
  %1230 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1231 = addrspacecast float addrspace(3)* %1230 to float*
  %1232 = load float, float* %1231, align 4, !tbaa !5
  %1233 = fneg contract float %1232
  %1234 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 10) to float*), align 4, !tbaa !5
  %1235 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1236 = addrspacecast float addrspace(3)* %1235 to float*
  %1237 = load float, float* %1236, align 4, !tbaa !5
  %1238 = fneg contract float %1237
  %1239 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 10) to float*), align 4, !tbaa !5
  %1240 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1241 = addrspacecast float addrspace(3)* %1240 to float*
  %1242 = load float, float* %1241, align 4, !tbaa !5
  %1243 = fneg contract float %1242
  %1244 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 10) to float*), align 4, !tbaa !5
  %1245 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1246 = addrspacecast float addrspace(3)* %1245 to float*
  %1247 = load float, float* %1246, align 4, !tbaa !5
  %1248 = fneg contract float %1247
  %1249 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 10) to float*), align 4, !tbaa !5
  %1250 = fneg contract float %364
  %1251 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 10) to float*), align 4, !tbaa !5
  %1252 = load float, float* %1214, align 4, !tbaa !5
  %1253 = tail call contract float @llvm.fma.f32(float %1250, float %1251, float %1252) #4
  %1254 = tail call contract float @llvm.fma.f32(float %1248, float %1249, float %1253) #4
  %1255 = tail call contract float @llvm.fma.f32(float %1243, float %1244, float %1254) #4
  %1256 = tail call contract float @llvm.fma.f32(float %1238, float %1239, float %1255) #4
  %1257 = tail call contract float @llvm.fma.f32(float %1233, float %1234, float %1256) #4
  %1258 = tail call contract float @llvm.fma.f32(float %1228, float %1229, float %1257) #4
  %1259 = tail call contract float @llvm.fma.f32(float %1223, float %1224, float %1258) #4
  %1260 = tail call contract float @llvm.fma.f32(float %1218, float %1219, float %1259) #4
  %1261 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1262 = addrspacecast float addrspace(3)* %1261 to float*
  %1263 = load float, float* %1262, align 4, !tbaa !5
  %1264 = fneg contract float %1263
  %1265 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 10) to float*), align 4, !tbaa !5
  %1266 = fneg contract float %1159
  %1267 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 10) to float*), align 4, !tbaa !5
  %1268 = tail call contract float @llvm.fma.f32(float %1266, float %1267, float %1260) #4
  %1269 = tail call contract float @llvm.fma.f32(float %1264, float %1265, float %1268) #4
  %1270 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 10) to float*), align 4, !tbaa !5
  %1271 = fdiv contract float %1269, %1270
  store float %1271, float* %1214, align 4, !tbaa !5
  %1272 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 11
  %1273 = addrspacecast float addrspace(3)* %1272 to float*
  %1274 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1275 = addrspacecast float addrspace(3)* %1274 to float*
  %1276 = load float, float* %1275, align 4, !tbaa !5
  %1277 = fneg contract float %1276
  %1278 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 11) to float*), align 4, !tbaa !5
  %1279 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1280 = addrspacecast float addrspace(3)* %1279 to float*
  %1281 = load float, float* %1280, align 4, !tbaa !5
  %1282 = fneg contract float %1281
  %1283 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 11) to float*), align 4, !tbaa !5
  %1284 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1285 = addrspacecast float addrspace(3)* %1284 to float*
  %1286 = load float, float* %1285, align 4, !tbaa !5
  %1287 = fneg contract float %1286
  %1288 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 11) to float*), align 4, !tbaa !5
  %1289 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1290 = addrspacecast float addrspace(3)* %1289 to float*
  %1291 = load float, float* %1290, align 4, !tbaa !5
  %1292 = fneg contract float %1291
  %1293 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 11) to float*), align 4, !tbaa !5
  %1294 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1295 = addrspacecast float addrspace(3)* %1294 to float*
  %1296 = load float, float* %1295, align 4, !tbaa !5
  %1297 = fneg contract float %1296
  %1298 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 11) to float*), align 4, !tbaa !5
  %1299 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1300 = addrspacecast float addrspace(3)* %1299 to float*
  %1301 = load float, float* %1300, align 4, !tbaa !5
  %1302 = fneg contract float %1301
  %1303 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 11) to float*), align 4, !tbaa !5
  %1304 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1305 = addrspacecast float addrspace(3)* %1304 to float*
  %1306 = load float, float* %1305, align 4, !tbaa !5
  %1307 = fneg contract float %1306
  %1308 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 11) to float*), align 4, !tbaa !5
  %1309 = fneg contract float %364
  %1310 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 11) to float*), align 4, !tbaa !5
  %1311 = load float, float* %1273, align 4, !tbaa !5
  %1312 = tail call contract float @llvm.fma.f32(float %1309, float %1310, float %1311) #4
  %1313 = tail call contract float @llvm.fma.f32(float %1307, float %1308, float %1312) #4
  %1314 = tail call contract float @llvm.fma.f32(float %1302, float %1303, float %1313) #4
  %1315 = tail call contract float @llvm.fma.f32(float %1297, float %1298, float %1314) #4
  %1316 = tail call contract float @llvm.fma.f32(float %1292, float %1293, float %1315) #4
  %1317 = tail call contract float @llvm.fma.f32(float %1287, float %1288, float %1316) #4
  %1318 = tail call contract float @llvm.fma.f32(float %1282, float %1283, float %1317) #4
  %1319 = tail call contract float @llvm.fma.f32(float %1277, float %1278, float %1318) #4
  %1320 = fneg contract float %1159
  %1321 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 11) to float*), align 4, !tbaa !5
  %1322 = tail call contract float @llvm.fma.f32(float %1320, float %1321, float %1319) #4
  br label %1323

1323:                                             ; preds = %1107, %1323
  %1324 = phi i32 [ 1, %1107 ], [ %1338, %1323 ]
  %1325 = phi i32 [ 9, %1107 ], [ %1337, %1323 ]
  %1326 = phi float [ %1322, %1107 ], [ %1336, %1323 ]
  %1327 = zext i32 %1325 to i64
  %1328 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 %1327
  %1329 = addrspacecast float addrspace(3)* %1328 to float*
  %1330 = load float, float* %1329, align 4, !tbaa !5
  %1331 = zext i32 %1325 to i64
  %1332 = fneg contract float %1330
  %1333 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1331, i64 11
  %1334 = addrspacecast float addrspace(3)* %1333 to float*
  %1335 = load float, float* %1334, align 4, !tbaa !5
  %1336 = tail call contract float @llvm.fma.f32(float %1332, float %1335, float %1326) #4
  %1337 = add nuw nsw i32 %1325, 1
  %1338 = add nuw nsw i32 %1324, 1
  %1339 = icmp eq i32 %1338, 3
  br i1 %1339, label %1340, label %1323, !llvm.loop !13

1340:                                             ; preds = %1323
  %1341 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 11) to float*), align 4, !tbaa !5
  %1342 = fdiv contract float %1336, %1341
  store float %1342, float* %1273, align 4, !tbaa !5
  %1343 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 12
  %1344 = addrspacecast float addrspace(3)* %1343 to float*
  %1345 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 11
  %1346 = addrspacecast float addrspace(3)* %1345 to float*
  %1347 = load float, float* %1346, align 4, !tbaa !5
  %1348 = fneg contract float %1347
  %1349 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 12) to float*), align 4, !tbaa !5
  %1350 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 10
  %1351 = addrspacecast float addrspace(3)* %1350 to float*
  %1352 = load float, float* %1351, align 4, !tbaa !5
  %1353 = fneg contract float %1352
  %1354 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 12) to float*), align 4, !tbaa !5
  %1355 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1356 = addrspacecast float addrspace(3)* %1355 to float*
  %1357 = load float, float* %1356, align 4, !tbaa !5
  %1358 = fneg contract float %1357
  %1359 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 12) to float*), align 4, !tbaa !5
  %1360 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 8
  %1361 = addrspacecast float addrspace(3)* %1360 to float*
  %1362 = load float, float* %1361, align 4, !tbaa !5
  %1363 = fneg contract float %1362
  %1364 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 12) to float*), align 4, !tbaa !5
  %1365 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1366 = addrspacecast float addrspace(3)* %1365 to float*
  %1367 = load float, float* %1366, align 4, !tbaa !5
  %1368 = fneg contract float %1367
  %1369 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 12) to float*), align 4, !tbaa !5
  %1370 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1371 = addrspacecast float addrspace(3)* %1370 to float*
  %1372 = load float, float* %1371, align 4, !tbaa !5
  %1373 = fneg contract float %1372
  %1374 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 12) to float*), align 4, !tbaa !5
  %1375 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1376 = addrspacecast float addrspace(3)* %1375 to float*
  %1377 = load float, float* %1376, align 4, !tbaa !5
  %1378 = fneg contract float %1377
  %1379 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 12) to float*), align 4, !tbaa !5
  %1380 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1381 = addrspacecast float addrspace(3)* %1380 to float*
  %1382 = load float, float* %1381, align 4, !tbaa !5
  %1383 = fneg contract float %1382
  %1384 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 12) to float*), align 4, !tbaa !5
  %1385 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1386 = addrspacecast float addrspace(3)* %1385 to float*
  %1387 = load float, float* %1386, align 4, !tbaa !5
  %1388 = fneg contract float %1387
  %1389 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 12) to float*), align 4, !tbaa !5
  %1390 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1391 = addrspacecast float addrspace(3)* %1390 to float*
  %1392 = load float, float* %1391, align 4, !tbaa !5
  %1393 = fneg contract float %1392
  %1394 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 12) to float*), align 4, !tbaa !5
  %1395 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1396 = addrspacecast float addrspace(3)* %1395 to float*
  %1397 = load float, float* %1396, align 4, !tbaa !5
  %1398 = fneg contract float %1397
  %1399 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 12) to float*), align 4, !tbaa !5
  %1400 = fneg contract float %364
  %1401 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 12) to float*), align 4, !tbaa !5
  %1402 = load float, float* %1344, align 4, !tbaa !5
  %1403 = tail call contract float @llvm.fma.f32(float %1400, float %1401, float %1402) #4
  %1404 = tail call contract float @llvm.fma.f32(float %1398, float %1399, float %1403) #4
  %1405 = tail call contract float @llvm.fma.f32(float %1393, float %1394, float %1404) #4
  %1406 = tail call contract float @llvm.fma.f32(float %1388, float %1389, float %1405) #4
  %1407 = tail call contract float @llvm.fma.f32(float %1383, float %1384, float %1406) #4
  %1408 = tail call contract float @llvm.fma.f32(float %1378, float %1379, float %1407) #4
  %1409 = tail call contract float @llvm.fma.f32(float %1373, float %1374, float %1408) #4
  %1410 = tail call contract float @llvm.fma.f32(float %1368, float %1369, float %1409) #4
  %1411 = tail call contract float @llvm.fma.f32(float %1363, float %1364, float %1410) #4
  %1412 = tail call contract float @llvm.fma.f32(float %1358, float %1359, float %1411) #4
  %1413 = tail call contract float @llvm.fma.f32(float %1353, float %1354, float %1412) #4
  %1414 = tail call contract float @llvm.fma.f32(float %1348, float %1349, float %1413) #4
  %1415 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 12) to float*), align 4, !tbaa !5
  %1416 = fdiv contract float %1414, %1415
  store float %1416, float* %1344, align 4, !tbaa !5
  %1417 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 13
  %1418 = addrspacecast float addrspace(3)* %1417 to float*
  %1419 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 11
  %1420 = addrspacecast float addrspace(3)* %1419 to float*
  %1421 = load float, float* %1420, align 4, !tbaa !5
  %1422 = fneg contract float %1421
  %1423 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 13) to float*), align 4, !tbaa !5
  %1424 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 10
  %1425 = addrspacecast float addrspace(3)* %1424 to float*
  %1426 = load float, float* %1425, align 4, !tbaa !5
  %1427 = fneg contract float %1426
  %1428 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 13) to float*), align 4, !tbaa !5
  %1429 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1430 = addrspacecast float addrspace(3)* %1429 to float*
  %1431 = load float, float* %1430, align 4, !tbaa !5
  %1432 = fneg contract float %1431
  %1433 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 13) to float*), align 4, !tbaa !5
  %1434 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 8
  %1435 = addrspacecast float addrspace(3)* %1434 to float*
  %1436 = load float, float* %1435, align 4, !tbaa !5
  %1437 = fneg contract float %1436
  %1438 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 13) to float*), align 4, !tbaa !5
  %1439 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1440 = addrspacecast float addrspace(3)* %1439 to float*
  %1441 = load float, float* %1440, align 4, !tbaa !5
  %1442 = fneg contract float %1441
  %1443 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 13) to float*), align 4, !tbaa !5
  %1444 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1445 = addrspacecast float addrspace(3)* %1444 to float*
  %1446 = load float, float* %1445, align 4, !tbaa !5
  %1447 = fneg contract float %1446
  %1448 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 13) to float*), align 4, !tbaa !5
  %1449 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1450 = addrspacecast float addrspace(3)* %1449 to float*
  %1451 = load float, float* %1450, align 4, !tbaa !5
  %1452 = fneg contract float %1451
  %1453 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 13) to float*), align 4, !tbaa !5
  %1454 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1455 = addrspacecast float addrspace(3)* %1454 to float*
  %1456 = load float, float* %1455, align 4, !tbaa !5
  %1457 = fneg contract float %1456
  %1458 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 13) to float*), align 4, !tbaa !5
  %1459 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1460 = addrspacecast float addrspace(3)* %1459 to float*
  %1461 = load float, float* %1460, align 4, !tbaa !5
  %1462 = fneg contract float %1461
  %1463 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 13) to float*), align 4, !tbaa !5
  %1464 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1465 = addrspacecast float addrspace(3)* %1464 to float*
  %1466 = load float, float* %1465, align 4, !tbaa !5
  %1467 = fneg contract float %1466
  %1468 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 13) to float*), align 4, !tbaa !5
  %1469 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1470 = addrspacecast float addrspace(3)* %1469 to float*
  %1471 = load float, float* %1470, align 4, !tbaa !5
  %1472 = fneg contract float %1471
  %1473 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 13) to float*), align 4, !tbaa !5
  %1474 = fneg contract float %364
  %1475 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 13) to float*), align 4, !tbaa !5
  %1476 = load float, float* %1418, align 4, !tbaa !5
  %1477 = tail call contract float @llvm.fma.f32(float %1474, float %1475, float %1476) #4
  %1478 = tail call contract float @llvm.fma.f32(float %1472, float %1473, float %1477) #4
  %1479 = tail call contract float @llvm.fma.f32(float %1467, float %1468, float %1478) #4
  %1480 = tail call contract float @llvm.fma.f32(float %1462, float %1463, float %1479) #4
  %1481 = tail call contract float @llvm.fma.f32(float %1457, float %1458, float %1480) #4
  %1482 = tail call contract float @llvm.fma.f32(float %1452, float %1453, float %1481) #4
  %1483 = tail call contract float @llvm.fma.f32(float %1447, float %1448, float %1482) #4
  %1484 = tail call contract float @llvm.fma.f32(float %1442, float %1443, float %1483) #4
  %1485 = tail call contract float @llvm.fma.f32(float %1437, float %1438, float %1484) #4
  %1486 = tail call contract float @llvm.fma.f32(float %1432, float %1433, float %1485) #4
  %1487 = tail call contract float @llvm.fma.f32(float %1427, float %1428, float %1486) #4
  %1488 = tail call contract float @llvm.fma.f32(float %1422, float %1423, float %1487) #4
  %1489 = fneg contract float %1416
  %1490 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 13) to float*), align 4, !tbaa !5
  %1491 = tail call contract float @llvm.fma.f32(float %1489, float %1490, float %1488) #4
  %1492 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 13) to float*), align 4, !tbaa !5
  %1493 = fdiv contract float %1491, %1492
  store float %1493, float* %1418, align 4, !tbaa !5
  %1494 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 14
  %1495 = addrspacecast float addrspace(3)* %1494 to float*
  %1496 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 11
  %1497 = addrspacecast float addrspace(3)* %1496 to float*
  %1498 = load float, float* %1497, align 4, !tbaa !5
  %1499 = fneg contract float %1498
  %1500 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 14) to float*), align 4, !tbaa !5
  %1501 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 10
  %1502 = addrspacecast float addrspace(3)* %1501 to float*
  %1503 = load float, float* %1502, align 4, !tbaa !5
  %1504 = fneg contract float %1503
  %1505 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 14) to float*), align 4, !tbaa !5
  %1506 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1507 = addrspacecast float addrspace(3)* %1506 to float*
  %1508 = load float, float* %1507, align 4, !tbaa !5
  %1509 = fneg contract float %1508
  %1510 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 14) to float*), align 4, !tbaa !5
  %1511 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 8
  %1512 = addrspacecast float addrspace(3)* %1511 to float*
  %1513 = load float, float* %1512, align 4, !tbaa !5
  %1514 = fneg contract float %1513
  %1515 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 14) to float*), align 4, !tbaa !5
  %1516 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1517 = addrspacecast float addrspace(3)* %1516 to float*
  %1518 = load float, float* %1517, align 4, !tbaa !5
  %1519 = fneg contract float %1518
  %1520 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 14) to float*), align 4, !tbaa !5
  %1521 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1522 = addrspacecast float addrspace(3)* %1521 to float*
  %1523 = load float, float* %1522, align 4, !tbaa !5
  %1524 = fneg contract float %1523
  %1525 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 14) to float*), align 4, !tbaa !5
  %1526 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1527 = addrspacecast float addrspace(3)* %1526 to float*
  %1528 = load float, float* %1527, align 4, !tbaa !5
  %1529 = fneg contract float %1528
  %1530 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 14) to float*), align 4, !tbaa !5
  %1531 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1532 = addrspacecast float addrspace(3)* %1531 to float*
  %1533 = load float, float* %1532, align 4, !tbaa !5
  %1534 = fneg contract float %1533
  %1535 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 14) to float*), align 4, !tbaa !5
  %1536 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1537 = addrspacecast float addrspace(3)* %1536 to float*
  %1538 = load float, float* %1537, align 4, !tbaa !5
  %1539 = fneg contract float %1538
  %1540 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 14) to float*), align 4, !tbaa !5
  %1541 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1542 = addrspacecast float addrspace(3)* %1541 to float*
  %1543 = load float, float* %1542, align 4, !tbaa !5
  %1544 = fneg contract float %1543
  %1545 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 14) to float*), align 4, !tbaa !5
  %1546 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1547 = addrspacecast float addrspace(3)* %1546 to float*
  %1548 = load float, float* %1547, align 4, !tbaa !5
  %1549 = fneg contract float %1548
  %1550 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 14) to float*), align 4, !tbaa !5
  %1551 = fneg contract float %364
  %1552 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 14) to float*), align 4, !tbaa !5
  %1553 = load float, float* %1495, align 4, !tbaa !5
  %1554 = tail call contract float @llvm.fma.f32(float %1551, float %1552, float %1553) #4
  %1555 = tail call contract float @llvm.fma.f32(float %1549, float %1550, float %1554) #4
  %1556 = tail call contract float @llvm.fma.f32(float %1544, float %1545, float %1555) #4
  %1557 = tail call contract float @llvm.fma.f32(float %1539, float %1540, float %1556) #4
  %1558 = tail call contract float @llvm.fma.f32(float %1534, float %1535, float %1557) #4
  %1559 = tail call contract float @llvm.fma.f32(float %1529, float %1530, float %1558) #4
  %1560 = tail call contract float @llvm.fma.f32(float %1524, float %1525, float %1559) #4
  %1561 = tail call contract float @llvm.fma.f32(float %1519, float %1520, float %1560) #4
  %1562 = tail call contract float @llvm.fma.f32(float %1514, float %1515, float %1561) #4
  %1563 = tail call contract float @llvm.fma.f32(float %1509, float %1510, float %1562) #4
  %1564 = tail call contract float @llvm.fma.f32(float %1504, float %1505, float %1563) #4
  %1565 = tail call contract float @llvm.fma.f32(float %1499, float %1500, float %1564) #4
  %1566 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 13
  %1567 = addrspacecast float addrspace(3)* %1566 to float*
  %1568 = load float, float* %1567, align 4, !tbaa !5
  %1569 = fneg contract float %1568
  %1570 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 14) to float*), align 4, !tbaa !5
  %1571 = fneg contract float %1416
  %1572 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 14) to float*), align 4, !tbaa !5
  %1573 = tail call contract float @llvm.fma.f32(float %1571, float %1572, float %1565) #4
  %1574 = tail call contract float @llvm.fma.f32(float %1569, float %1570, float %1573) #4
  %1575 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 14) to float*), align 4, !tbaa !5
  %1576 = fdiv contract float %1574, %1575
  store float %1576, float* %1495, align 4, !tbaa !5
  %1577 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 15
  %1578 = addrspacecast float addrspace(3)* %1577 to float*
  %1579 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 11
  %1580 = addrspacecast float addrspace(3)* %1579 to float*
  %1581 = load float, float* %1580, align 4, !tbaa !5
  %1582 = fneg contract float %1581
  %1583 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 15) to float*), align 4, !tbaa !5
  %1584 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 10
  %1585 = addrspacecast float addrspace(3)* %1584 to float*
  %1586 = load float, float* %1585, align 4, !tbaa !5
  %1587 = fneg contract float %1586
  %1588 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 15) to float*), align 4, !tbaa !5
  %1589 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 9
  %1590 = addrspacecast float addrspace(3)* %1589 to float*
  %1591 = load float, float* %1590, align 4, !tbaa !5
  %1592 = fneg contract float %1591
  %1593 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 15) to float*), align 4, !tbaa !5
  %1594 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 8
  %1595 = addrspacecast float addrspace(3)* %1594 to float*
  %1596 = load float, float* %1595, align 4, !tbaa !5
  %1597 = fneg contract float %1596
  %1598 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 15) to float*), align 4, !tbaa !5
  %1599 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 7
  %1600 = addrspacecast float addrspace(3)* %1599 to float*
  %1601 = load float, float* %1600, align 4, !tbaa !5
  %1602 = fneg contract float %1601
  %1603 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 15) to float*), align 4, !tbaa !5
  %1604 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 6
  %1605 = addrspacecast float addrspace(3)* %1604 to float*
  %1606 = load float, float* %1605, align 4, !tbaa !5
  %1607 = fneg contract float %1606
  %1608 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 15) to float*), align 4, !tbaa !5
  %1609 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 5
  %1610 = addrspacecast float addrspace(3)* %1609 to float*
  %1611 = load float, float* %1610, align 4, !tbaa !5
  %1612 = fneg contract float %1611
  %1613 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 15) to float*), align 4, !tbaa !5
  %1614 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 4
  %1615 = addrspacecast float addrspace(3)* %1614 to float*
  %1616 = load float, float* %1615, align 4, !tbaa !5
  %1617 = fneg contract float %1616
  %1618 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 15) to float*), align 4, !tbaa !5
  %1619 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 3
  %1620 = addrspacecast float addrspace(3)* %1619 to float*
  %1621 = load float, float* %1620, align 4, !tbaa !5
  %1622 = fneg contract float %1621
  %1623 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 15) to float*), align 4, !tbaa !5
  %1624 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 2
  %1625 = addrspacecast float addrspace(3)* %1624 to float*
  %1626 = load float, float* %1625, align 4, !tbaa !5
  %1627 = fneg contract float %1626
  %1628 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 15) to float*), align 4, !tbaa !5
  %1629 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 1
  %1630 = addrspacecast float addrspace(3)* %1629 to float*
  %1631 = load float, float* %1630, align 4, !tbaa !5
  %1632 = fneg contract float %1631
  %1633 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 15) to float*), align 4, !tbaa !5
  %1634 = fneg contract float %364
  %1635 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 15) to float*), align 4, !tbaa !5
  %1636 = load float, float* %1578, align 4, !tbaa !5
  %1637 = tail call contract float @llvm.fma.f32(float %1634, float %1635, float %1636) #4
  %1638 = tail call contract float @llvm.fma.f32(float %1632, float %1633, float %1637) #4
  %1639 = tail call contract float @llvm.fma.f32(float %1627, float %1628, float %1638) #4
  %1640 = tail call contract float @llvm.fma.f32(float %1622, float %1623, float %1639) #4
  %1641 = tail call contract float @llvm.fma.f32(float %1617, float %1618, float %1640) #4
  %1642 = tail call contract float @llvm.fma.f32(float %1612, float %1613, float %1641) #4
  %1643 = tail call contract float @llvm.fma.f32(float %1607, float %1608, float %1642) #4
  %1644 = tail call contract float @llvm.fma.f32(float %1602, float %1603, float %1643) #4
  %1645 = tail call contract float @llvm.fma.f32(float %1597, float %1598, float %1644) #4
  %1646 = tail call contract float @llvm.fma.f32(float %1592, float %1593, float %1645) #4
  %1647 = tail call contract float @llvm.fma.f32(float %1587, float %1588, float %1646) #4
  %1648 = tail call contract float @llvm.fma.f32(float %1582, float %1583, float %1647) #4
  %1649 = fneg contract float %1416
  %1650 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 15) to float*), align 4, !tbaa !5
  %1651 = tail call contract float @llvm.fma.f32(float %1649, float %1650, float %1648) #4
  br label %1652

1652:                                             ; preds = %1340, %1652
  %1653 = phi i32 [ 1, %1340 ], [ %1667, %1652 ]
  %1654 = phi i32 [ 13, %1340 ], [ %1666, %1652 ]
  %1655 = phi float [ %1651, %1340 ], [ %1665, %1652 ]
  %1656 = zext i32 %1654 to i64
  %1657 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %358, i64 %1656
  %1658 = addrspacecast float addrspace(3)* %1657 to float*
  %1659 = load float, float* %1658, align 4, !tbaa !5
  %1660 = zext i32 %1654 to i64
  %1661 = fneg contract float %1659
  %1662 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1660, i64 15
  %1663 = addrspacecast float addrspace(3)* %1662 to float*
  %1664 = load float, float* %1663, align 4, !tbaa !5
  %1665 = tail call contract float @llvm.fma.f32(float %1661, float %1664, float %1655) #4
  %1666 = add nuw nsw i32 %1654, 1
  %1667 = add nuw nsw i32 %1653, 1
  %1668 = icmp eq i32 %1667, 3
  br i1 %1668, label %1669, label %1652, !llvm.loop !13

1669:                                             ; preds = %1652
  %1670 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 15) to float*), align 4, !tbaa !5
  %1671 = fdiv contract float %1665, %1670
  store float %1671, float* %1578, align 4, !tbaa !5
  br label %1672

1672:                                             ; preds = %1669, %991
  tail call void @llvm.nvvm.barrier0()
  %1673 = zext i32 %6 to i64
  br i1 %5, label %1802, label %1674

1674:                                             ; preds = %1672
  %1675 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 0, i64 %1673
  %1676 = addrspacecast float addrspace(3)* %1675 to float*
  %1677 = load float, float* %1676, align 4, !tbaa !5
  %1678 = mul i32 %9, %1
  %1679 = or i32 %1678, %6
  %1680 = zext i32 %1679 to i64
  %1681 = getelementptr inbounds float, float* %14, i64 %1680
  store float %1677, float* %1681, align 4, !tbaa !5
  %1682 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 1, i64 %1673
  %1683 = addrspacecast float addrspace(3)* %1682 to float*
  %1684 = load float, float* %1683, align 4, !tbaa !5
  %1685 = add i32 %8, 17
  %1686 = mul i32 %1685, %1
  %1687 = add i32 %1686, %6
  %1688 = zext i32 %1687 to i64
  %1689 = getelementptr inbounds float, float* %14, i64 %1688
  store float %1684, float* %1689, align 4, !tbaa !5
  %1690 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 2, i64 %1673
  %1691 = addrspacecast float addrspace(3)* %1690 to float*
  %1692 = load float, float* %1691, align 4, !tbaa !5
  %1693 = add i32 %8, 18
  %1694 = mul i32 %1693, %1
  %1695 = add i32 %1694, %6
  %1696 = zext i32 %1695 to i64
  %1697 = getelementptr inbounds float, float* %14, i64 %1696
  store float %1692, float* %1697, align 4, !tbaa !5
  %1698 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 3, i64 %1673
  %1699 = addrspacecast float addrspace(3)* %1698 to float*
  %1700 = load float, float* %1699, align 4, !tbaa !5
  %1701 = add i32 %8, 19
  %1702 = mul i32 %1701, %1
  %1703 = add i32 %1702, %6
  %1704 = zext i32 %1703 to i64
  %1705 = getelementptr inbounds float, float* %14, i64 %1704
  store float %1700, float* %1705, align 4, !tbaa !5
  %1706 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 4, i64 %1673
  %1707 = addrspacecast float addrspace(3)* %1706 to float*
  %1708 = load float, float* %1707, align 4, !tbaa !5
  %1709 = add i32 %8, 20
  %1710 = mul i32 %1709, %1
  %1711 = add i32 %1710, %6
  %1712 = zext i32 %1711 to i64
  %1713 = getelementptr inbounds float, float* %14, i64 %1712
  store float %1708, float* %1713, align 4, !tbaa !5
  %1714 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 5, i64 %1673
  %1715 = addrspacecast float addrspace(3)* %1714 to float*
  %1716 = load float, float* %1715, align 4, !tbaa !5
  %1717 = add i32 %8, 21
  %1718 = mul i32 %1717, %1
  %1719 = add i32 %1718, %6
  %1720 = zext i32 %1719 to i64
  %1721 = getelementptr inbounds float, float* %14, i64 %1720
  store float %1716, float* %1721, align 4, !tbaa !5
  %1722 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 6, i64 %1673
  %1723 = addrspacecast float addrspace(3)* %1722 to float*
  %1724 = load float, float* %1723, align 4, !tbaa !5
  %1725 = add i32 %8, 22
  %1726 = mul i32 %1725, %1
  %1727 = add i32 %1726, %6
  %1728 = zext i32 %1727 to i64
  %1729 = getelementptr inbounds float, float* %14, i64 %1728
  store float %1724, float* %1729, align 4, !tbaa !5
  %1730 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 7, i64 %1673
  %1731 = addrspacecast float addrspace(3)* %1730 to float*
  %1732 = load float, float* %1731, align 4, !tbaa !5
  %1733 = add i32 %8, 23
  %1734 = mul i32 %1733, %1
  %1735 = add i32 %1734, %6
  %1736 = zext i32 %1735 to i64
  %1737 = getelementptr inbounds float, float* %14, i64 %1736
  store float %1732, float* %1737, align 4, !tbaa !5
  %1738 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 8, i64 %1673
  %1739 = addrspacecast float addrspace(3)* %1738 to float*
  %1740 = load float, float* %1739, align 4, !tbaa !5
  %1741 = add i32 %8, 24
  %1742 = mul i32 %1741, %1
  %1743 = add i32 %1742, %6
  %1744 = zext i32 %1743 to i64
  %1745 = getelementptr inbounds float, float* %14, i64 %1744
  store float %1740, float* %1745, align 4, !tbaa !5
  %1746 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 9, i64 %1673
  %1747 = addrspacecast float addrspace(3)* %1746 to float*
  %1748 = load float, float* %1747, align 4, !tbaa !5
  %1749 = add i32 %8, 25
  %1750 = mul i32 %1749, %1
  %1751 = add i32 %1750, %6
  %1752 = zext i32 %1751 to i64
  %1753 = getelementptr inbounds float, float* %14, i64 %1752
  store float %1748, float* %1753, align 4, !tbaa !5
  %1754 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 10, i64 %1673
  %1755 = addrspacecast float addrspace(3)* %1754 to float*
  %1756 = load float, float* %1755, align 4, !tbaa !5
  %1757 = add i32 %8, 26
  %1758 = mul i32 %1757, %1
  %1759 = add i32 %1758, %6
  %1760 = zext i32 %1759 to i64
  %1761 = getelementptr inbounds float, float* %14, i64 %1760
  store float %1756, float* %1761, align 4, !tbaa !5
  %1762 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 11, i64 %1673
  %1763 = addrspacecast float addrspace(3)* %1762 to float*
  %1764 = load float, float* %1763, align 4, !tbaa !5
  %1765 = add i32 %8, 27
  %1766 = mul i32 %1765, %1
  %1767 = add i32 %1766, %6
  %1768 = zext i32 %1767 to i64
  %1769 = getelementptr inbounds float, float* %14, i64 %1768
  store float %1764, float* %1769, align 4, !tbaa !5
  %1770 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 12, i64 %1673
  %1771 = addrspacecast float addrspace(3)* %1770 to float*
  %1772 = load float, float* %1771, align 4, !tbaa !5
  %1773 = add i32 %8, 28
  %1774 = mul i32 %1773, %1
  %1775 = add i32 %1774, %6
  %1776 = zext i32 %1775 to i64
  %1777 = getelementptr inbounds float, float* %14, i64 %1776
  store float %1772, float* %1777, align 4, !tbaa !5
  %1778 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 13, i64 %1673
  %1779 = addrspacecast float addrspace(3)* %1778 to float*
  %1780 = load float, float* %1779, align 4, !tbaa !5
  %1781 = add i32 %8, 29
  %1782 = mul i32 %1781, %1
  %1783 = add i32 %1782, %6
  %1784 = zext i32 %1783 to i64
  %1785 = getelementptr inbounds float, float* %14, i64 %1784
  store float %1780, float* %1785, align 4, !tbaa !5
  %1786 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 14, i64 %1673
  %1787 = addrspacecast float addrspace(3)* %1786 to float*
  %1788 = load float, float* %1787, align 4, !tbaa !5
  %1789 = add i32 %8, 30
  %1790 = mul i32 %1789, %1
  %1791 = add i32 %1790, %6
  %1792 = zext i32 %1791 to i64
  %1793 = getelementptr inbounds float, float* %14, i64 %1792
  store float %1788, float* %1793, align 4, !tbaa !5
  %1794 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 15, i64 %1673
  %1795 = addrspacecast float addrspace(3)* %1794 to float*
  %1796 = load float, float* %1795, align 4, !tbaa !5
  %1797 = add i32 %8, 31
  %1798 = mul i32 %1797, %1
  %1799 = add i32 %1798, %6
  %1800 = zext i32 %1799 to i64
  %1801 = getelementptr inbounds float, float* %14, i64 %1800
  store float %1796, float* %1801, align 4, !tbaa !5
  br label %1908

1802:                                             ; preds = %1672
  %1803 = or i32 %9, %6
  %1804 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %1673
  %1805 = addrspacecast float addrspace(3)* %1804 to float*
  %1806 = load float, float* %1805, align 4, !tbaa !5
  %1807 = add i32 %1803, %1
  %1808 = zext i32 %1807 to i64
  %1809 = getelementptr inbounds float, float* %14, i64 %1808
  store float %1806, float* %1809, align 4, !tbaa !5
  %1810 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %1673
  %1811 = addrspacecast float addrspace(3)* %1810 to float*
  %1812 = load float, float* %1811, align 4, !tbaa !5
  %1813 = shl i32 %1, 1
  %1814 = add i32 %1803, %1813
  %1815 = zext i32 %1814 to i64
  %1816 = getelementptr inbounds float, float* %14, i64 %1815
  store float %1812, float* %1816, align 4, !tbaa !5
  %1817 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %1673
  %1818 = addrspacecast float addrspace(3)* %1817 to float*
  %1819 = load float, float* %1818, align 4, !tbaa !5
  %1820 = mul i32 %1, 3
  %1821 = add i32 %1803, %1820
  %1822 = zext i32 %1821 to i64
  %1823 = getelementptr inbounds float, float* %14, i64 %1822
  store float %1819, float* %1823, align 4, !tbaa !5
  %1824 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %1673
  %1825 = addrspacecast float addrspace(3)* %1824 to float*
  %1826 = load float, float* %1825, align 4, !tbaa !5
  %1827 = shl i32 %1, 2
  %1828 = add i32 %1803, %1827
  %1829 = zext i32 %1828 to i64
  %1830 = getelementptr inbounds float, float* %14, i64 %1829
  store float %1826, float* %1830, align 4, !tbaa !5
  %1831 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %1673
  %1832 = addrspacecast float addrspace(3)* %1831 to float*
  %1833 = load float, float* %1832, align 4, !tbaa !5
  %1834 = mul i32 %1, 5
  %1835 = add i32 %1803, %1834
  %1836 = zext i32 %1835 to i64
  %1837 = getelementptr inbounds float, float* %14, i64 %1836
  store float %1833, float* %1837, align 4, !tbaa !5
  %1838 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %1673
  %1839 = addrspacecast float addrspace(3)* %1838 to float*
  %1840 = load float, float* %1839, align 4, !tbaa !5
  %1841 = mul i32 %1, 6
  %1842 = add i32 %1803, %1841
  %1843 = zext i32 %1842 to i64
  %1844 = getelementptr inbounds float, float* %14, i64 %1843
  store float %1840, float* %1844, align 4, !tbaa !5
  %1845 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %1673
  %1846 = addrspacecast float addrspace(3)* %1845 to float*
  %1847 = load float, float* %1846, align 4, !tbaa !5
  %1848 = mul i32 %1, 7
  %1849 = add i32 %1803, %1848
  %1850 = zext i32 %1849 to i64
  %1851 = getelementptr inbounds float, float* %14, i64 %1850
  store float %1847, float* %1851, align 4, !tbaa !5
  %1852 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %1673
  %1853 = addrspacecast float addrspace(3)* %1852 to float*
  %1854 = load float, float* %1853, align 4, !tbaa !5
  %1855 = shl i32 %1, 3
  %1856 = add i32 %1803, %1855
  %1857 = zext i32 %1856 to i64
  %1858 = getelementptr inbounds float, float* %14, i64 %1857
  store float %1854, float* %1858, align 4, !tbaa !5
  %1859 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %1673
  %1860 = addrspacecast float addrspace(3)* %1859 to float*
  %1861 = load float, float* %1860, align 4, !tbaa !5
  %1862 = mul i32 %1, 9
  %1863 = add i32 %1803, %1862
  %1864 = zext i32 %1863 to i64
  %1865 = getelementptr inbounds float, float* %14, i64 %1864
  store float %1861, float* %1865, align 4, !tbaa !5
  %1866 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %1673
  %1867 = addrspacecast float addrspace(3)* %1866 to float*
  %1868 = load float, float* %1867, align 4, !tbaa !5
  %1869 = mul i32 %1, 10
  %1870 = add i32 %1803, %1869
  %1871 = zext i32 %1870 to i64
  %1872 = getelementptr inbounds float, float* %14, i64 %1871
  store float %1868, float* %1872, align 4, !tbaa !5
  %1873 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %1673
  %1874 = addrspacecast float addrspace(3)* %1873 to float*
  %1875 = load float, float* %1874, align 4, !tbaa !5
  %1876 = mul i32 %1, 11
  %1877 = add i32 %1803, %1876
  %1878 = zext i32 %1877 to i64
  %1879 = getelementptr inbounds float, float* %14, i64 %1878
  store float %1875, float* %1879, align 4, !tbaa !5
  %1880 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %1673
  %1881 = addrspacecast float addrspace(3)* %1880 to float*
  %1882 = load float, float* %1881, align 4, !tbaa !5
  %1883 = mul i32 %1, 12
  %1884 = add i32 %1803, %1883
  %1885 = zext i32 %1884 to i64
  %1886 = getelementptr inbounds float, float* %14, i64 %1885
  store float %1882, float* %1886, align 4, !tbaa !5
  %1887 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %1673
  %1888 = addrspacecast float addrspace(3)* %1887 to float*
  %1889 = load float, float* %1888, align 4, !tbaa !5
  %1890 = mul i32 %1, 13
  %1891 = add i32 %1803, %1890
  %1892 = zext i32 %1891 to i64
  %1893 = getelementptr inbounds float, float* %14, i64 %1892
  store float %1889, float* %1893, align 4, !tbaa !5
  %1894 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %1673
  %1895 = addrspacecast float addrspace(3)* %1894 to float*
  %1896 = load float, float* %1895, align 4, !tbaa !5
  %1897 = mul i32 %1, 14
  %1898 = add i32 %1803, %1897
  %1899 = zext i32 %1898 to i64
  %1900 = getelementptr inbounds float, float* %14, i64 %1899
  store float %1896, float* %1900, align 4, !tbaa !5
  %1901 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 15, i64 %1673
  %1902 = addrspacecast float addrspace(3)* %1901 to float*
  %1903 = load float, float* %1902, align 4, !tbaa !5
  %1904 = mul i32 %1, 15
  %1905 = add i32 %1803, %1904
  %1906 = zext i32 %1905 to i64
  %1907 = getelementptr inbounds float, float* %14, i64 %1906
  store float %1903, float* %1907, align 4, !tbaa !5
  br label %1908

1908:                                             ; preds = %1674, %1802
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, i32, i32)* @lu_perimeter, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !12, !10}
!12 = !{!"llvm.loop.mustprogress"}
!13 = distinct !{!13, !10}
