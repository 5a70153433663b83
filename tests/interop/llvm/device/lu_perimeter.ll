; SPDX-License-Identifier: BSL-1.0
; Compiled from lu_perimeter.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -S -emit-llvm -include cuda.hpp
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
  br i1 %5, label %195, label %16

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
  br label %347

195:                                              ; preds = %3
  %196 = getelementptr inbounds float, float* %14, i64 %15
  %197 = load float, float* %196, align 4, !tbaa !5
  %198 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 %15
  %199 = addrspacecast float addrspace(3)* %198 to float*
  store float %197, float* %199, align 4, !tbaa !5
  %200 = add i32 %6, %1
  %201 = zext i32 %200 to i64
  %202 = getelementptr inbounds float, float* %14, i64 %201
  %203 = load float, float* %202, align 4, !tbaa !5
  %204 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 %15
  %205 = addrspacecast float addrspace(3)* %204 to float*
  store float %203, float* %205, align 4, !tbaa !5
  %206 = shl i32 %1, 1
  %207 = add i32 %206, %6
  %208 = zext i32 %207 to i64
  %209 = getelementptr inbounds float, float* %14, i64 %208
  %210 = load float, float* %209, align 4, !tbaa !5
  %211 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 %15
  %212 = addrspacecast float addrspace(3)* %211 to float*
  store float %210, float* %212, align 4, !tbaa !5
  %213 = mul i32 %1, 3
  %214 = add i32 %213, %6
  %215 = zext i32 %214 to i64
  %216 = getelementptr inbounds float, float* %14, i64 %215
  %217 = load float, float* %216, align 4, !tbaa !5
  %218 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 %15
  %219 = addrspacecast float addrspace(3)* %218 to float*
  store float %217, float* %219, align 4, !tbaa !5
  %220 = shl i32 %1, 2
  %221 = add i32 %220, %6
  %222 = zext i32 %221 to i64
  %223 = getelementptr inbounds float, float* %14, i64 %222
  %224 = load float, float* %223, align 4, !tbaa !5
  %225 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 %15
  %226 = addrspacecast float addrspace(3)* %225 to float*
  store float %224, float* %226, align 4, !tbaa !5
  %227 = mul i32 %1, 5
  %228 = add i32 %227, %6
  %229 = zext i32 %228 to i64
  %230 = getelementptr inbounds float, float* %14, i64 %229
  %231 = load float, float* %230, align 4, !tbaa !5
  %232 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 %15
  %233 = addrspacecast float addrspace(3)* %232 to float*
  store float %231, float* %233, align 4, !tbaa !5
  %234 = mul i32 %1, 6
  %235 = add i32 %234, %6
  %236 = zext i32 %235 to i64
  %237 = getelementptr inbounds float, float* %14, i64 %236
  %238 = load float, float* %237, align 4, !tbaa !5
  %239 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 %15
  %240 = addrspacecast float addrspace(3)* %239 to float*
  store float %238, float* %240, align 4, !tbaa !5
  %241 = mul i32 %1, 7
  %242 = add i32 %241, %6
  %243 = zext i32 %242 to i64
  %244 = getelementptr inbounds float, float* %14, i64 %243
  %245 = load float, float* %244, align 4, !tbaa !5
  %246 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 %15
  %247 = addrspacecast float addrspace(3)* %246 to float*
  store float %245, float* %247, align 4, !tbaa !5
  %248 = or i32 %9, %6
  %249 = zext i32 %248 to i64
  %250 = getelementptr inbounds float, float* %14, i64 %249
  %251 = load float, float* %250, align 4, !tbaa !5
  %252 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %15
  %253 = addrspacecast float addrspace(3)* %252 to float*
  store float %251, float* %253, align 4, !tbaa !5
  %254 = add i32 %248, %1
  %255 = zext i32 %254 to i64
  %256 = getelementptr inbounds float, float* %14, i64 %255
  %257 = load float, float* %256, align 4, !tbaa !5
  %258 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %15
  %259 = addrspacecast float addrspace(3)* %258 to float*
  store float %257, float* %259, align 4, !tbaa !5
  %260 = add i32 %248, %206
  %261 = zext i32 %260 to i64
  %262 = getelementptr inbounds float, float* %14, i64 %261
  %263 = load float, float* %262, align 4, !tbaa !5
  %264 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %15
  %265 = addrspacecast float addrspace(3)* %264 to float*
  store float %263, float* %265, align 4, !tbaa !5
  %266 = add i32 %248, %213
  %267 = zext i32 %266 to i64
  %268 = getelementptr inbounds float, float* %14, i64 %267
  %269 = load float, float* %268, align 4, !tbaa !5
  %270 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %15
  %271 = addrspacecast float addrspace(3)* %270 to float*
  store float %269, float* %271, align 4, !tbaa !5
  %272 = add i32 %248, %220
  %273 = zext i32 %272 to i64
  %274 = getelementptr inbounds float, float* %14, i64 %273
  %275 = load float, float* %274, align 4, !tbaa !5
  %276 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %15
  %277 = addrspacecast float addrspace(3)* %276 to float*
  store float %275, float* %277, align 4, !tbaa !5
  %278 = add i32 %248, %227
  %279 = zext i32 %278 to i64
  %280 = getelementptr inbounds float, float* %14, i64 %279
  %281 = load float, float* %280, align 4, !tbaa !5
  %282 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %15
  %283 = addrspacecast float addrspace(3)* %282 to float*
  store float %281, float* %283, align 4, !tbaa !5
  %284 = add i32 %248, %234
  %285 = zext i32 %284 to i64
  %286 = getelementptr inbounds float, float* %14, i64 %285
  %287 = load float, float* %286, align 4, !tbaa !5
  %288 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %15
  %289 = addrspacecast float addrspace(3)* %288 to float*
  store float %287, float* %289, align 4, !tbaa !5
  %290 = add i32 %248, %241
  %291 = zext i32 %290 to i64
  %292 = getelementptr inbounds float, float* %14, i64 %291
  %293 = load float, float* %292, align 4, !tbaa !5
  %294 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %15
  %295 = addrspacecast float addrspace(3)* %294 to float*
  store float %293, float* %295, align 4, !tbaa !5
  %296 = shl i32 %1, 3
  %297 = add i32 %248, %296
  %298 = zext i32 %297 to i64
  %299 = getelementptr inbounds float, float* %14, i64 %298
  %300 = load float, float* %299, align 4, !tbaa !5
  %301 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %15
  %302 = addrspacecast float addrspace(3)* %301 to float*
  store float %300, float* %302, align 4, !tbaa !5
  %303 = mul i32 %1, 9
  %304 = add i32 %248, %303
  %305 = zext i32 %304 to i64
  %306 = getelementptr inbounds float, float* %14, i64 %305
  %307 = load float, float* %306, align 4, !tbaa !5
  %308 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %15
  %309 = addrspacecast float addrspace(3)* %308 to float*
  store float %307, float* %309, align 4, !tbaa !5
  %310 = mul i32 %1, 10
  %311 = add i32 %248, %310
  %312 = zext i32 %311 to i64
  %313 = getelementptr inbounds float, float* %14, i64 %312
  %314 = load float, float* %313, align 4, !tbaa !5
  %315 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %15
  %316 = addrspacecast float addrspace(3)* %315 to float*
  store float %314, float* %316, align 4, !tbaa !5
  %317 = mul i32 %1, 11
  %318 = add i32 %248, %317
  %319 = zext i32 %318 to i64
  %320 = getelementptr inbounds float, float* %14, i64 %319
  %321 = load float, float* %320, align 4, !tbaa !5
  %322 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %15
  %323 = addrspacecast float addrspace(3)* %322 to float*
  store float %321, float* %323, align 4, !tbaa !5
  %324 = mul i32 %1, 12
  %325 = add i32 %248, %324
  %326 = zext i32 %325 to i64
  %327 = getelementptr inbounds float, float* %14, i64 %326
  %328 = load float, float* %327, align 4, !tbaa !5
  %329 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %15
  %330 = addrspacecast float addrspace(3)* %329 to float*
  store float %328, float* %330, align 4, !tbaa !5
  %331 = mul i32 %1, 13
  %332 = add i32 %248, %331
  %333 = zext i32 %332 to i64
  %334 = getelementptr inbounds float, float* %14, i64 %333
  %335 = load float, float* %334, align 4, !tbaa !5
  %336 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %15
  %337 = addrspacecast float addrspace(3)* %336 to float*
  store float %335, float* %337, align 4, !tbaa !5
  %338 = mul i32 %1, 14
  %339 = add i32 %248, %338
  %340 = zext i32 %339 to i64
  %341 = getelementptr inbounds float, float* %14, i64 %340
  %342 = load float, float* %341, align 4, !tbaa !5
  %343 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %15
  %344 = addrspacecast float addrspace(3)* %343 to float*
  store float %342, float* %344, align 4, !tbaa !5
  %345 = mul i32 %1, 15
  %346 = add i32 %248, %345
  br label %347

347:                                              ; preds = %16, %195
  %348 = phi i32 [ %194, %16 ], [ %346, %195 ]
  %349 = phi [16 x [16 x float]] addrspace(3)* [ @_ZZ12lu_perimeterE7columns, %16 ], [ @_ZZ12lu_perimeterE4rows, %195 ]
  %350 = zext i32 %348 to i64
  %351 = getelementptr inbounds float, float* %14, i64 %350
  %352 = load float, float* %351, align 4, !tbaa !5
  %353 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* %349, i64 0, i64 15, i64 %15
  %354 = addrspacecast float addrspace(3)* %353 to float*
  store float %352, float* %354, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %355 = zext i32 %6 to i64
  br i1 %5, label %387, label %356

356:                                              ; preds = %347
  %357 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 0
  %358 = addrspacecast float addrspace(3)* %357 to float*
  %359 = load float, float* %358, align 4, !tbaa !5
  %360 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 0) to float*), align 4, !tbaa !5
  %361 = fdiv contract float %359, %360
  store float %361, float* %358, align 4, !tbaa !5
  %362 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %363 = addrspacecast float addrspace(3)* %362 to float*
  %364 = load float, float* %363, align 4, !tbaa !5
  %365 = fneg contract float %361
  %366 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 1) to float*), align 4, !tbaa !5
  %367 = tail call contract float @llvm.fma.f32(float %365, float %366, float %364) #4
  %368 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 1) to float*), align 4, !tbaa !5
  %369 = fdiv contract float %367, %368
  store float %369, float* %363, align 4, !tbaa !5
  %370 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %371 = addrspacecast float addrspace(3)* %370 to float*
  %372 = fneg contract float %369
  %373 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 2) to float*), align 4, !tbaa !5
  %374 = fneg contract float %361
  %375 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 2) to float*), align 4, !tbaa !5
  %376 = load float, float* %371, align 4, !tbaa !5
  %377 = tail call contract float @llvm.fma.f32(float %374, float %375, float %376) #4
  %378 = tail call contract float @llvm.fma.f32(float %372, float %373, float %377) #4
  %379 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 2) to float*), align 4, !tbaa !5
  %380 = fdiv contract float %378, %379
  store float %380, float* %371, align 4, !tbaa !5
  %381 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %382 = addrspacecast float addrspace(3)* %381 to float*
  %383 = load float, float* %382, align 4, !tbaa !5
  %384 = fneg contract float %361
  %385 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 3) to float*), align 4, !tbaa !5
  %386 = tail call contract float @llvm.fma.f32(float %384, float %385, float %383) #4
  br label %989

387:                                              ; preds = %347
  %388 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %355
  %389 = addrspacecast float addrspace(3)* %388 to float*
  %390 = load float, float* %389, align 4, !tbaa !5
  %391 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %355
  %392 = addrspacecast float addrspace(3)* %391 to float*
  %393 = load float, float* %392, align 4, !tbaa !5
  %394 = fneg contract float %393
  %395 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 0) to float*), align 4, !tbaa !5
  %396 = tail call contract float @llvm.fma.f32(float %394, float %395, float %390) #4
  store float %396, float* %389, align 4, !tbaa !5
  %397 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %355
  %398 = addrspacecast float addrspace(3)* %397 to float*
  %399 = load float, float* %398, align 4, !tbaa !5
  br label %400

400:                                              ; preds = %400, %387
  %401 = phi i32 [ %413, %400 ], [ 0, %387 ]
  %402 = phi float [ %412, %400 ], [ %399, %387 ]
  %403 = phi i32 [ %414, %400 ], [ 0, %387 ]
  %404 = zext i32 %401 to i64
  %405 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %404, i64 %355
  %406 = addrspacecast float addrspace(3)* %405 to float*
  %407 = load float, float* %406, align 4, !tbaa !5
  %408 = fneg contract float %407
  %409 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 %404
  %410 = addrspacecast float addrspace(3)* %409 to float*
  %411 = load float, float* %410, align 4, !tbaa !5
  %412 = tail call contract float @llvm.fma.f32(float %408, float %411, float %402) #4
  %413 = add nuw nsw i32 %401, 1
  %414 = add nuw nsw i32 %403, 1
  %415 = icmp eq i32 %414, 2
  br i1 %415, label %416, label %400, !llvm.loop !9

416:                                              ; preds = %400
  store float %412, float* %398, align 4, !tbaa !5
  %417 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %355
  %418 = addrspacecast float addrspace(3)* %417 to float*
  %419 = load float, float* %418, align 4, !tbaa !5
  br label %420

420:                                              ; preds = %420, %416
  %421 = phi i32 [ %433, %420 ], [ 0, %416 ]
  %422 = phi float [ %432, %420 ], [ %419, %416 ]
  %423 = phi i32 [ %434, %420 ], [ 0, %416 ]
  %424 = zext i32 %421 to i64
  %425 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %424, i64 %355
  %426 = addrspacecast float addrspace(3)* %425 to float*
  %427 = load float, float* %426, align 4, !tbaa !5
  %428 = fneg contract float %427
  %429 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 %424
  %430 = addrspacecast float addrspace(3)* %429 to float*
  %431 = load float, float* %430, align 4, !tbaa !5
  %432 = tail call contract float @llvm.fma.f32(float %428, float %431, float %422) #4
  %433 = add nuw nsw i32 %421, 1
  %434 = add nuw nsw i32 %423, 1
  %435 = icmp eq i32 %434, 3
  br i1 %435, label %436, label %420, !llvm.loop !9

436:                                              ; preds = %420
  store float %432, float* %418, align 4, !tbaa !5
  %437 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %355
  %438 = addrspacecast float addrspace(3)* %437 to float*
  %439 = load float, float* %438, align 4, !tbaa !5
  %440 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %355
  %441 = addrspacecast float addrspace(3)* %440 to float*
  %442 = load float, float* %441, align 4, !tbaa !5
  %443 = fneg contract float %442
  %444 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 0) to float*), align 4, !tbaa !5
  %445 = tail call contract float @llvm.fma.f32(float %443, float %444, float %439) #4
  %446 = fneg contract float %396
  %447 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 1) to float*), align 4, !tbaa !5
  %448 = tail call contract float @llvm.fma.f32(float %446, float %447, float %445) #4
  %449 = fneg contract float %412
  %450 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 2) to float*), align 4, !tbaa !5
  %451 = tail call contract float @llvm.fma.f32(float %449, float %450, float %448) #4
  %452 = fneg contract float %432
  %453 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 3) to float*), align 4, !tbaa !5
  %454 = tail call contract float @llvm.fma.f32(float %452, float %453, float %451) #4
  store float %454, float* %438, align 4, !tbaa !5
  %455 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %355
  %456 = addrspacecast float addrspace(3)* %455 to float*
  %457 = load float, float* %456, align 4, !tbaa !5
  %458 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %355
  %459 = addrspacecast float addrspace(3)* %458 to float*
  %460 = load float, float* %459, align 4, !tbaa !5
  %461 = fneg contract float %460
  %462 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 0) to float*), align 4, !tbaa !5
  %463 = tail call contract float @llvm.fma.f32(float %461, float %462, float %457) #4
  %464 = fneg contract float %396
  %465 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 1) to float*), align 4, !tbaa !5
  %466 = tail call contract float @llvm.fma.f32(float %464, float %465, float %463) #4
  %467 = fneg contract float %412
  %468 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 2) to float*), align 4, !tbaa !5
  %469 = tail call contract float @llvm.fma.f32(float %467, float %468, float %466) #4
  %470 = fneg contract float %432
  %471 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 3) to float*), align 4, !tbaa !5
  %472 = tail call contract float @llvm.fma.f32(float %470, float %471, float %469) #4
  %473 = fneg contract float %454
  %474 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 4) to float*), align 4, !tbaa !5
  %475 = tail call contract float @llvm.fma.f32(float %473, float %474, float %472) #4
  store float %475, float* %456, align 4, !tbaa !5
  %476 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %355
  %477 = addrspacecast float addrspace(3)* %476 to float*
  %478 = fneg contract float %475
  %479 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 5) to float*), align 4, !tbaa !5
  %480 = fneg contract float %454
  %481 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 4) to float*), align 4, !tbaa !5
  %482 = fneg contract float %432
  %483 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 3) to float*), align 4, !tbaa !5
  %484 = fneg contract float %412
  %485 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 2) to float*), align 4, !tbaa !5
  %486 = fneg contract float %396
  %487 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 1) to float*), align 4, !tbaa !5
  %488 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %355
  %489 = addrspacecast float addrspace(3)* %488 to float*
  %490 = load float, float* %489, align 4, !tbaa !5
  %491 = fneg contract float %490
  %492 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 0) to float*), align 4, !tbaa !5
  %493 = load float, float* %477, align 4, !tbaa !5
  %494 = tail call contract float @llvm.fma.f32(float %491, float %492, float %493) #4
  %495 = tail call contract float @llvm.fma.f32(float %486, float %487, float %494) #4
  %496 = tail call contract float @llvm.fma.f32(float %484, float %485, float %495) #4
  %497 = tail call contract float @llvm.fma.f32(float %482, float %483, float %496) #4
  %498 = tail call contract float @llvm.fma.f32(float %480, float %481, float %497) #4
  %499 = tail call contract float @llvm.fma.f32(float %478, float %479, float %498) #4
  store float %499, float* %477, align 4, !tbaa !5
  %500 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %355
  %501 = addrspacecast float addrspace(3)* %500 to float*
  %502 = load float, float* %501, align 4, !tbaa !5
  %503 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 0, i64 %355
  %504 = addrspacecast float addrspace(3)* %503 to float*
  %505 = load float, float* %504, align 4, !tbaa !5
  %506 = fneg contract float %505
  %507 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 0) to float*), align 4, !tbaa !5
  %508 = tail call contract float @llvm.fma.f32(float %506, float %507, float %502) #4
  %509 = fneg contract float %396
  %510 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 1) to float*), align 4, !tbaa !5
  %511 = tail call contract float @llvm.fma.f32(float %509, float %510, float %508) #4
  %512 = fneg contract float %412
  %513 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 2) to float*), align 4, !tbaa !5
  %514 = tail call contract float @llvm.fma.f32(float %512, float %513, float %511) #4
  %515 = fneg contract float %432
  %516 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 3) to float*), align 4, !tbaa !5
  %517 = tail call contract float @llvm.fma.f32(float %515, float %516, float %514) #4
  %518 = fneg contract float %454
  %519 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 4) to float*), align 4, !tbaa !5
  %520 = tail call contract float @llvm.fma.f32(float %518, float %519, float %517) #4
  br label %521

521:                                              ; preds = %436, %521
  %522 = phi i32 [ 1, %436 ], [ %536, %521 ]
  %523 = phi i32 [ 5, %436 ], [ %535, %521 ]
  %524 = phi float [ %520, %436 ], [ %534, %521 ]
  %525 = zext i32 %523 to i64
  %526 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %525, i64 %355
  %527 = addrspacecast float addrspace(3)* %526 to float*
  %528 = load float, float* %527, align 4, !tbaa !5
  %529 = zext i32 %523 to i64
  %530 = fneg contract float %528
  %531 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 %529
  %532 = addrspacecast float addrspace(3)* %531 to float*
  %533 = load float, float* %532, align 4, !tbaa !5
  %534 = tail call contract float @llvm.fma.f32(float %530, float %533, float %524) #4
  %535 = add nuw nsw i32 %523, 1
  %536 = add nuw nsw i32 %522, 1
  %537 = icmp eq i32 %536, 3
  br i1 %537, label %538, label %521, !llvm.loop !9

538:                                              ; preds = %521
  store float %534, float* %501, align 4, !tbaa !5
  %539 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %355
  %540 = addrspacecast float addrspace(3)* %539 to float*
  %541 = load float, float* %540, align 4, !tbaa !5
  br label %542

542:                                              ; preds = %542, %538
  %543 = phi i32 [ 0, %538 ], [ %584, %542 ]
  %544 = phi float [ %541, %538 ], [ %583, %542 ]
  %545 = zext i32 %543 to i64
  %546 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %545, i64 %355
  %547 = addrspacecast float addrspace(3)* %546 to float*
  %548 = load float, float* %547, align 4, !tbaa !5
  %549 = fneg contract float %548
  %550 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %545
  %551 = addrspacecast float addrspace(3)* %550 to float*
  %552 = load float, float* %551, align 4, !tbaa !5
  %553 = tail call contract float @llvm.fma.f32(float %549, float %552, float %544) #4
  %554 = or i32 %543, 1
  %555 = zext i32 %554 to i64
  %556 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %555, i64 %355
  %557 = addrspacecast float addrspace(3)* %556 to float*
  %558 = load float, float* %557, align 4, !tbaa !5
  %559 = fneg contract float %558
  %560 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %555
  %561 = addrspacecast float addrspace(3)* %560 to float*
  %562 = load float, float* %561, align 4, !tbaa !5
  %563 = tail call contract float @llvm.fma.f32(float %559, float %562, float %553) #4
  %564 = or i32 %543, 2
  %565 = zext i32 %564 to i64
  %566 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %565, i64 %355
  %567 = addrspacecast float addrspace(3)* %566 to float*
  %568 = load float, float* %567, align 4, !tbaa !5
  %569 = fneg contract float %568
  %570 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %565
  %571 = addrspacecast float addrspace(3)* %570 to float*
  %572 = load float, float* %571, align 4, !tbaa !5
  %573 = tail call contract float @llvm.fma.f32(float %569, float %572, float %563) #4
  %574 = or i32 %543, 3
  %575 = zext i32 %574 to i64
  %576 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %575, i64 %355
  %577 = addrspacecast float addrspace(3)* %576 to float*
  %578 = load float, float* %577, align 4, !tbaa !5
  %579 = fneg contract float %578
  %580 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 %575
  %581 = addrspacecast float addrspace(3)* %580 to float*
  %582 = load float, float* %581, align 4, !tbaa !5
  %583 = tail call contract float @llvm.fma.f32(float %579, float %582, float %573) #4
  %584 = add nuw nsw i32 %543, 4
  %585 = icmp eq i32 %584, 8
  br i1 %585, label %586, label %542, !llvm.loop !11

586:                                              ; preds = %542
  store float %583, float* %540, align 4, !tbaa !5
  %587 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %355
  %588 = addrspacecast float addrspace(3)* %587 to float*
  %589 = load float, float* %588, align 4, !tbaa !5
  br label %590

590:                                              ; preds = %590, %586
  %591 = phi i32 [ 0, %586 ], [ %632, %590 ]
  %592 = phi float [ %589, %586 ], [ %631, %590 ]
  %593 = zext i32 %591 to i64
  %594 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %593, i64 %355
  %595 = addrspacecast float addrspace(3)* %594 to float*
  %596 = load float, float* %595, align 4, !tbaa !5
  %597 = fneg contract float %596
  %598 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %593
  %599 = addrspacecast float addrspace(3)* %598 to float*
  %600 = load float, float* %599, align 4, !tbaa !5
  %601 = tail call contract float @llvm.fma.f32(float %597, float %600, float %592) #4
  %602 = or i32 %591, 1
  %603 = zext i32 %602 to i64
  %604 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %603, i64 %355
  %605 = addrspacecast float addrspace(3)* %604 to float*
  %606 = load float, float* %605, align 4, !tbaa !5
  %607 = fneg contract float %606
  %608 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %603
  %609 = addrspacecast float addrspace(3)* %608 to float*
  %610 = load float, float* %609, align 4, !tbaa !5
  %611 = tail call contract float @llvm.fma.f32(float %607, float %610, float %601) #4
  %612 = or i32 %591, 2
  %613 = zext i32 %612 to i64
  %614 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %613, i64 %355
  %615 = addrspacecast float addrspace(3)* %614 to float*
  %616 = load float, float* %615, align 4, !tbaa !5
  %617 = fneg contract float %616
  %618 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %613
  %619 = addrspacecast float addrspace(3)* %618 to float*
  %620 = load float, float* %619, align 4, !tbaa !5
  %621 = tail call contract float @llvm.fma.f32(float %617, float %620, float %611) #4
  %622 = or i32 %591, 3
  %623 = zext i32 %622 to i64
  %624 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %623, i64 %355
  %625 = addrspacecast float addrspace(3)* %624 to float*
  %626 = load float, float* %625, align 4, !tbaa !5
  %627 = fneg contract float %626
  %628 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 %623
  %629 = addrspacecast float addrspace(3)* %628 to float*
  %630 = load float, float* %629, align 4, !tbaa !5
  %631 = tail call contract float @llvm.fma.f32(float %627, float %630, float %621) #4
  %632 = add nuw nsw i32 %591, 4
  %633 = icmp eq i32 %632, 8
  br i1 %633, label %634, label %590, !llvm.loop !11

634:                                              ; preds = %590
  %635 = fneg contract float %583
  %636 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 8) to float*), align 4, !tbaa !5
  %637 = tail call contract float @llvm.fma.f32(float %635, float %636, float %631) #4
  store float %637, float* %588, align 4, !tbaa !5
  %638 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %355
  %639 = addrspacecast float addrspace(3)* %638 to float*
  %640 = load float, float* %639, align 4, !tbaa !5
  br label %641

641:                                              ; preds = %641, %634
  %642 = phi i32 [ 0, %634 ], [ %683, %641 ]
  %643 = phi float [ %640, %634 ], [ %682, %641 ]
  %644 = zext i32 %642 to i64
  %645 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %644, i64 %355
  %646 = addrspacecast float addrspace(3)* %645 to float*
  %647 = load float, float* %646, align 4, !tbaa !5
  %648 = fneg contract float %647
  %649 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %644
  %650 = addrspacecast float addrspace(3)* %649 to float*
  %651 = load float, float* %650, align 4, !tbaa !5
  %652 = tail call contract float @llvm.fma.f32(float %648, float %651, float %643) #4
  %653 = or i32 %642, 1
  %654 = zext i32 %653 to i64
  %655 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %654, i64 %355
  %656 = addrspacecast float addrspace(3)* %655 to float*
  %657 = load float, float* %656, align 4, !tbaa !5
  %658 = fneg contract float %657
  %659 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %654
  %660 = addrspacecast float addrspace(3)* %659 to float*
  %661 = load float, float* %660, align 4, !tbaa !5
  %662 = tail call contract float @llvm.fma.f32(float %658, float %661, float %652) #4
  %663 = or i32 %642, 2
  %664 = zext i32 %663 to i64
  %665 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %664, i64 %355
  %666 = addrspacecast float addrspace(3)* %665 to float*
  %667 = load float, float* %666, align 4, !tbaa !5
  %668 = fneg contract float %667
  %669 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %664
  %670 = addrspacecast float addrspace(3)* %669 to float*
  %671 = load float, float* %670, align 4, !tbaa !5
  %672 = tail call contract float @llvm.fma.f32(float %668, float %671, float %662) #4
  %673 = or i32 %642, 3
  %674 = zext i32 %673 to i64
  %675 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %674, i64 %355
  %676 = addrspacecast float addrspace(3)* %675 to float*
  %677 = load float, float* %676, align 4, !tbaa !5
  %678 = fneg contract float %677
  %679 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 %674
  %680 = addrspacecast float addrspace(3)* %679 to float*
  %681 = load float, float* %680, align 4, !tbaa !5
  %682 = tail call contract float @llvm.fma.f32(float %678, float %681, float %672) #4
  %683 = add nuw nsw i32 %642, 4
  %684 = icmp eq i32 %683, 8
  br i1 %684, label %685, label %641, !llvm.loop !11

685:                                              ; preds = %641
  %686 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %355
  %687 = addrspacecast float addrspace(3)* %686 to float*
  %688 = load float, float* %687, align 4, !tbaa !5
  %689 = fneg contract float %688
  %690 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 9) to float*), align 4, !tbaa !5
  %691 = fneg contract float %583
  %692 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 8) to float*), align 4, !tbaa !5
  %693 = tail call contract float @llvm.fma.f32(float %691, float %692, float %682) #4
  %694 = tail call contract float @llvm.fma.f32(float %689, float %690, float %693) #4
  store float %694, float* %639, align 4, !tbaa !5
  %695 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %355
  %696 = addrspacecast float addrspace(3)* %695 to float*
  %697 = load float, float* %696, align 4, !tbaa !5
  br label %698

698:                                              ; preds = %698, %685
  %699 = phi i32 [ 0, %685 ], [ %740, %698 ]
  %700 = phi float [ %697, %685 ], [ %739, %698 ]
  %701 = zext i32 %699 to i64
  %702 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %701, i64 %355
  %703 = addrspacecast float addrspace(3)* %702 to float*
  %704 = load float, float* %703, align 4, !tbaa !5
  %705 = fneg contract float %704
  %706 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %701
  %707 = addrspacecast float addrspace(3)* %706 to float*
  %708 = load float, float* %707, align 4, !tbaa !5
  %709 = tail call contract float @llvm.fma.f32(float %705, float %708, float %700) #4
  %710 = or i32 %699, 1
  %711 = zext i32 %710 to i64
  %712 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %711, i64 %355
  %713 = addrspacecast float addrspace(3)* %712 to float*
  %714 = load float, float* %713, align 4, !tbaa !5
  %715 = fneg contract float %714
  %716 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %711
  %717 = addrspacecast float addrspace(3)* %716 to float*
  %718 = load float, float* %717, align 4, !tbaa !5
  %719 = tail call contract float @llvm.fma.f32(float %715, float %718, float %709) #4
  %720 = or i32 %699, 2
  %721 = zext i32 %720 to i64
  %722 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %721, i64 %355
  %723 = addrspacecast float addrspace(3)* %722 to float*
  %724 = load float, float* %723, align 4, !tbaa !5
  %725 = fneg contract float %724
  %726 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %721
  %727 = addrspacecast float addrspace(3)* %726 to float*
  %728 = load float, float* %727, align 4, !tbaa !5
  %729 = tail call contract float @llvm.fma.f32(float %725, float %728, float %719) #4
  %730 = or i32 %699, 3
  %731 = zext i32 %730 to i64
  %732 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %731, i64 %355
  %733 = addrspacecast float addrspace(3)* %732 to float*
  %734 = load float, float* %733, align 4, !tbaa !5
  %735 = fneg contract float %734
  %736 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %731
  %737 = addrspacecast float addrspace(3)* %736 to float*
  %738 = load float, float* %737, align 4, !tbaa !5
  %739 = tail call contract float @llvm.fma.f32(float %735, float %738, float %729) #4
  %740 = add nuw nsw i32 %699, 4
  %741 = icmp eq i32 %740, 8
  br i1 %741, label %742, label %698, !llvm.loop !11

742:                                              ; preds = %698
  %743 = fneg contract float %583
  %744 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 8) to float*), align 4, !tbaa !5
  %745 = tail call contract float @llvm.fma.f32(float %743, float %744, float %739) #4
  br label %746

746:                                              ; preds = %742, %746
  %747 = phi i32 [ 1, %742 ], [ %761, %746 ]
  %748 = phi i32 [ 9, %742 ], [ %760, %746 ]
  %749 = phi float [ %745, %742 ], [ %759, %746 ]
  %750 = zext i32 %748 to i64
  %751 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %750, i64 %355
  %752 = addrspacecast float addrspace(3)* %751 to float*
  %753 = load float, float* %752, align 4, !tbaa !5
  %754 = zext i32 %748 to i64
  %755 = fneg contract float %753
  %756 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 %754
  %757 = addrspacecast float addrspace(3)* %756 to float*
  %758 = load float, float* %757, align 4, !tbaa !5
  %759 = tail call contract float @llvm.fma.f32(float %755, float %758, float %749) #4
  %760 = add nuw nsw i32 %748, 1
  %761 = add nuw nsw i32 %747, 1
  %762 = icmp eq i32 %761, 3
  br i1 %762, label %763, label %746, !llvm.loop !9

763:                                              ; preds = %746
  store float %759, float* %696, align 4, !tbaa !5
  %764 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %355
  %765 = addrspacecast float addrspace(3)* %764 to float*
  %766 = load float, float* %765, align 4, !tbaa !5
  br label %767

767:                                              ; preds = %767, %763
  %768 = phi i32 [ 0, %763 ], [ %809, %767 ]
  %769 = phi float [ %766, %763 ], [ %808, %767 ]
  %770 = zext i32 %768 to i64
  %771 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %770, i64 %355
  %772 = addrspacecast float addrspace(3)* %771 to float*
  %773 = load float, float* %772, align 4, !tbaa !5
  %774 = fneg contract float %773
  %775 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %770
  %776 = addrspacecast float addrspace(3)* %775 to float*
  %777 = load float, float* %776, align 4, !tbaa !5
  %778 = tail call contract float @llvm.fma.f32(float %774, float %777, float %769) #4
  %779 = or i32 %768, 1
  %780 = zext i32 %779 to i64
  %781 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %780, i64 %355
  %782 = addrspacecast float addrspace(3)* %781 to float*
  %783 = load float, float* %782, align 4, !tbaa !5
  %784 = fneg contract float %783
  %785 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %780
  %786 = addrspacecast float addrspace(3)* %785 to float*
  %787 = load float, float* %786, align 4, !tbaa !5
  %788 = tail call contract float @llvm.fma.f32(float %784, float %787, float %778) #4
  %789 = or i32 %768, 2
  %790 = zext i32 %789 to i64
  %791 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %790, i64 %355
  %792 = addrspacecast float addrspace(3)* %791 to float*
  %793 = load float, float* %792, align 4, !tbaa !5
  %794 = fneg contract float %793
  %795 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %790
  %796 = addrspacecast float addrspace(3)* %795 to float*
  %797 = load float, float* %796, align 4, !tbaa !5
  %798 = tail call contract float @llvm.fma.f32(float %794, float %797, float %788) #4
  %799 = or i32 %768, 3
  %800 = zext i32 %799 to i64
  %801 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %800, i64 %355
  %802 = addrspacecast float addrspace(3)* %801 to float*
  %803 = load float, float* %802, align 4, !tbaa !5
  %804 = fneg contract float %803
  %805 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 %800
  %806 = addrspacecast float addrspace(3)* %805 to float*
  %807 = load float, float* %806, align 4, !tbaa !5
  %808 = tail call contract float @llvm.fma.f32(float %804, float %807, float %798) #4
  %809 = add nuw nsw i32 %768, 4
  %810 = icmp eq i32 %809, 12
  br i1 %810, label %811, label %767, !llvm.loop !11

811:                                              ; preds = %767
  store float %808, float* %765, align 4, !tbaa !5
  %812 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %355
  %813 = addrspacecast float addrspace(3)* %812 to float*
  %814 = load float, float* %813, align 4, !tbaa !5
  br label %815

815:                                              ; preds = %815, %811
  %816 = phi i32 [ 0, %811 ], [ %857, %815 ]
  %817 = phi float [ %814, %811 ], [ %856, %815 ]
  %818 = zext i32 %816 to i64
  %819 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %818, i64 %355
  %820 = addrspacecast float addrspace(3)* %819 to float*
  %821 = load float, float* %820, align 4, !tbaa !5
  %822 = fneg contract float %821
  %823 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %818
  %824 = addrspacecast float addrspace(3)* %823 to float*
  %825 = load float, float* %824, align 4, !tbaa !5
  %826 = tail call contract float @llvm.fma.f32(float %822, float %825, float %817) #4
  %827 = or i32 %816, 1
  %828 = zext i32 %827 to i64
  %829 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %828, i64 %355
  %830 = addrspacecast float addrspace(3)* %829 to float*
  %831 = load float, float* %830, align 4, !tbaa !5
  %832 = fneg contract float %831
  %833 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %828
  %834 = addrspacecast float addrspace(3)* %833 to float*
  %835 = load float, float* %834, align 4, !tbaa !5
  %836 = tail call contract float @llvm.fma.f32(float %832, float %835, float %826) #4
  %837 = or i32 %816, 2
  %838 = zext i32 %837 to i64
  %839 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %838, i64 %355
  %840 = addrspacecast float addrspace(3)* %839 to float*
  %841 = load float, float* %840, align 4, !tbaa !5
  %842 = fneg contract float %841
  %843 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %838
  %844 = addrspacecast float addrspace(3)* %843 to float*
  %845 = load float, float* %844, align 4, !tbaa !5
  %846 = tail call contract float @llvm.fma.f32(float %842, float %845, float %836) #4
  %847 = or i32 %816, 3
  %848 = zext i32 %847 to i64
  %849 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %848, i64 %355
  %850 = addrspacecast float addrspace(3)* %849 to float*
  %851 = load float, float* %850, align 4, !tbaa !5
  %852 = fneg contract float %851
  %853 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 %848
  %854 = addrspacecast float addrspace(3)* %853 to float*
  %855 = load float, float* %854, align 4, !tbaa !5
  %856 = tail call contract float @llvm.fma.f32(float %852, float %855, float %846) #4
  %857 = add nuw nsw i32 %816, 4
  %858 = icmp eq i32 %857, 12
  br i1 %858, label %859, label %815, !llvm.loop !11

859:                                              ; preds = %815
  %860 = fneg contract float %808
  %861 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 12) to float*), align 4, !tbaa !5
  %862 = tail call contract float @llvm.fma.f32(float %860, float %861, float %856) #4
  store float %862, float* %813, align 4, !tbaa !5
  %863 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %355
  %864 = addrspacecast float addrspace(3)* %863 to float*
  %865 = load float, float* %864, align 4, !tbaa !5
  br label %866

866:                                              ; preds = %866, %859
  %867 = phi i32 [ 0, %859 ], [ %908, %866 ]
  %868 = phi float [ %865, %859 ], [ %907, %866 ]
  %869 = zext i32 %867 to i64
  %870 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %869, i64 %355
  %871 = addrspacecast float addrspace(3)* %870 to float*
  %872 = load float, float* %871, align 4, !tbaa !5
  %873 = fneg contract float %872
  %874 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %869
  %875 = addrspacecast float addrspace(3)* %874 to float*
  %876 = load float, float* %875, align 4, !tbaa !5
  %877 = tail call contract float @llvm.fma.f32(float %873, float %876, float %868) #4
  %878 = or i32 %867, 1
  %879 = zext i32 %878 to i64
  %880 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %879, i64 %355
  %881 = addrspacecast float addrspace(3)* %880 to float*
  %882 = load float, float* %881, align 4, !tbaa !5
  %883 = fneg contract float %882
  %884 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %879
  %885 = addrspacecast float addrspace(3)* %884 to float*
  %886 = load float, float* %885, align 4, !tbaa !5
  %887 = tail call contract float @llvm.fma.f32(float %883, float %886, float %877) #4
  %888 = or i32 %867, 2
  %889 = zext i32 %888 to i64
  %890 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %889, i64 %355
  %891 = addrspacecast float addrspace(3)* %890 to float*
  %892 = load float, float* %891, align 4, !tbaa !5
  %893 = fneg contract float %892
  %894 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %889
  %895 = addrspacecast float addrspace(3)* %894 to float*
  %896 = load float, float* %895, align 4, !tbaa !5
  %897 = tail call contract float @llvm.fma.f32(float %893, float %896, float %887) #4
  %898 = or i32 %867, 3
  %899 = zext i32 %898 to i64
  %900 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %899, i64 %355
  %901 = addrspacecast float addrspace(3)* %900 to float*
  %902 = load float, float* %901, align 4, !tbaa !5
  %903 = fneg contract float %902
  %904 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 %899
  %905 = addrspacecast float addrspace(3)* %904 to float*
  %906 = load float, float* %905, align 4, !tbaa !5
  %907 = tail call contract float @llvm.fma.f32(float %903, float %906, float %897) #4
  %908 = add nuw nsw i32 %867, 4
  %909 = icmp eq i32 %908, 12
  br i1 %909, label %910, label %866, !llvm.loop !11

910:                                              ; preds = %866
  %911 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %355
  %912 = addrspacecast float addrspace(3)* %911 to float*
  %913 = load float, float* %912, align 4, !tbaa !5
  %914 = fneg contract float %913
  %915 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 13) to float*), align 4, !tbaa !5
  %916 = fneg contract float %808
  %917 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 12) to float*), align 4, !tbaa !5
  %918 = tail call contract float @llvm.fma.f32(float %916, float %917, float %907) #4
  %919 = tail call contract float @llvm.fma.f32(float %914, float %915, float %918) #4
  store float %919, float* %864, align 4, !tbaa !5
  %920 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 15, i64 %355
  %921 = addrspacecast float addrspace(3)* %920 to float*
  %922 = load float, float* %921, align 4, !tbaa !5
  br label %923

923:                                              ; preds = %923, %910
  %924 = phi i32 [ 0, %910 ], [ %965, %923 ]
  %925 = phi float [ %922, %910 ], [ %964, %923 ]
  %926 = zext i32 %924 to i64
  %927 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %926, i64 %355
  %928 = addrspacecast float addrspace(3)* %927 to float*
  %929 = load float, float* %928, align 4, !tbaa !5
  %930 = fneg contract float %929
  %931 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %926
  %932 = addrspacecast float addrspace(3)* %931 to float*
  %933 = load float, float* %932, align 4, !tbaa !5
  %934 = tail call contract float @llvm.fma.f32(float %930, float %933, float %925) #4
  %935 = or i32 %924, 1
  %936 = zext i32 %935 to i64
  %937 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %936, i64 %355
  %938 = addrspacecast float addrspace(3)* %937 to float*
  %939 = load float, float* %938, align 4, !tbaa !5
  %940 = fneg contract float %939
  %941 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %936
  %942 = addrspacecast float addrspace(3)* %941 to float*
  %943 = load float, float* %942, align 4, !tbaa !5
  %944 = tail call contract float @llvm.fma.f32(float %940, float %943, float %934) #4
  %945 = or i32 %924, 2
  %946 = zext i32 %945 to i64
  %947 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %946, i64 %355
  %948 = addrspacecast float addrspace(3)* %947 to float*
  %949 = load float, float* %948, align 4, !tbaa !5
  %950 = fneg contract float %949
  %951 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %946
  %952 = addrspacecast float addrspace(3)* %951 to float*
  %953 = load float, float* %952, align 4, !tbaa !5
  %954 = tail call contract float @llvm.fma.f32(float %950, float %953, float %944) #4
  %955 = or i32 %924, 3
  %956 = zext i32 %955 to i64
  %957 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %956, i64 %355
  %958 = addrspacecast float addrspace(3)* %957 to float*
  %959 = load float, float* %958, align 4, !tbaa !5
  %960 = fneg contract float %959
  %961 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %956
  %962 = addrspacecast float addrspace(3)* %961 to float*
  %963 = load float, float* %962, align 4, !tbaa !5
  %964 = tail call contract float @llvm.fma.f32(float %960, float %963, float %954) #4
  %965 = add nuw nsw i32 %924, 4
  %966 = icmp eq i32 %965, 12
  br i1 %966, label %967, label %923, !llvm.loop !11

967:                                              ; preds = %923
  %968 = fneg contract float %808
  %969 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 12) to float*), align 4, !tbaa !5
  %970 = tail call contract float @llvm.fma.f32(float %968, float %969, float %964) #4
  br label %971

971:                                              ; preds = %967, %971
  %972 = phi i32 [ 1, %967 ], [ %986, %971 ]
  %973 = phi i32 [ 13, %967 ], [ %985, %971 ]
  %974 = phi float [ %970, %967 ], [ %984, %971 ]
  %975 = zext i32 %973 to i64
  %976 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 %975, i64 %355
  %977 = addrspacecast float addrspace(3)* %976 to float*
  %978 = load float, float* %977, align 4, !tbaa !5
  %979 = zext i32 %973 to i64
  %980 = fneg contract float %978
  %981 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 %979
  %982 = addrspacecast float addrspace(3)* %981 to float*
  %983 = load float, float* %982, align 4, !tbaa !5
  %984 = tail call contract float @llvm.fma.f32(float %980, float %983, float %974) #4
  %985 = add nuw nsw i32 %973, 1
  %986 = add nuw nsw i32 %972, 1
  %987 = icmp eq i32 %986, 3
  br i1 %987, label %988, label %971, !llvm.loop !9

988:                                              ; preds = %971
  store float %984, float* %921, align 4, !tbaa !5
  br label %1669

989:                                              ; preds = %356, %989
  %990 = phi i32 [ 1, %356 ], [ %1004, %989 ]
  %991 = phi i32 [ 1, %356 ], [ %1003, %989 ]
  %992 = phi float [ %386, %356 ], [ %1002, %989 ]
  %993 = zext i32 %991 to i64
  %994 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 %993
  %995 = addrspacecast float addrspace(3)* %994 to float*
  %996 = load float, float* %995, align 4, !tbaa !5
  %997 = zext i32 %991 to i64
  %998 = fneg contract float %996
  %999 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %997, i64 3
  %1000 = addrspacecast float addrspace(3)* %999 to float*
  %1001 = load float, float* %1000, align 4, !tbaa !5
  %1002 = tail call contract float @llvm.fma.f32(float %998, float %1001, float %992) #4
  %1003 = add nuw nsw i32 %991, 1
  %1004 = add nuw nsw i32 %990, 1
  %1005 = icmp eq i32 %1004, 3
  br i1 %1005, label %1006, label %989, !llvm.loop !13

1006:                                             ; preds = %989
  %1007 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 3) to float*), align 4, !tbaa !5
  %1008 = fdiv contract float %1002, %1007
  store float %1008, float* %382, align 4, !tbaa !5
  %1009 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1010 = addrspacecast float addrspace(3)* %1009 to float*
  %1011 = load float, float* %1010, align 4, !tbaa !5
  %1012 = fneg contract float %361
  %1013 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 4) to float*), align 4, !tbaa !5
  %1014 = tail call contract float @llvm.fma.f32(float %1012, float %1013, float %1011) #4
  %1015 = fneg contract float %369
  %1016 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 4) to float*), align 4, !tbaa !5
  %1017 = tail call contract float @llvm.fma.f32(float %1015, float %1016, float %1014) #4
  %1018 = fneg contract float %380
  %1019 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 4) to float*), align 4, !tbaa !5
  %1020 = tail call contract float @llvm.fma.f32(float %1018, float %1019, float %1017) #4
  %1021 = fneg contract float %1008
  %1022 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 4) to float*), align 4, !tbaa !5
  %1023 = tail call contract float @llvm.fma.f32(float %1021, float %1022, float %1020) #4
  %1024 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 4) to float*), align 4, !tbaa !5
  %1025 = fdiv contract float %1023, %1024
  store float %1025, float* %1010, align 4, !tbaa !5
  %1026 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1027 = addrspacecast float addrspace(3)* %1026 to float*
  %1028 = load float, float* %1027, align 4, !tbaa !5
  %1029 = fneg contract float %361
  %1030 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 5) to float*), align 4, !tbaa !5
  %1031 = tail call contract float @llvm.fma.f32(float %1029, float %1030, float %1028) #4
  %1032 = fneg contract float %369
  %1033 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 5) to float*), align 4, !tbaa !5
  %1034 = tail call contract float @llvm.fma.f32(float %1032, float %1033, float %1031) #4
  %1035 = fneg contract float %380
  %1036 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 5) to float*), align 4, !tbaa !5
  %1037 = tail call contract float @llvm.fma.f32(float %1035, float %1036, float %1034) #4
  %1038 = fneg contract float %1008
  %1039 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 5) to float*), align 4, !tbaa !5
  %1040 = tail call contract float @llvm.fma.f32(float %1038, float %1039, float %1037) #4
  %1041 = fneg contract float %1025
  %1042 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 5) to float*), align 4, !tbaa !5
  %1043 = tail call contract float @llvm.fma.f32(float %1041, float %1042, float %1040) #4
  %1044 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 5) to float*), align 4, !tbaa !5
  %1045 = fdiv contract float %1043, %1044
  store float %1045, float* %1027, align 4, !tbaa !5
  %1046 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1047 = addrspacecast float addrspace(3)* %1046 to float*
  %1048 = fneg contract float %1045
  %1049 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 6) to float*), align 4, !tbaa !5
  %1050 = fneg contract float %1025
  %1051 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 6) to float*), align 4, !tbaa !5
  %1052 = fneg contract float %1008
  %1053 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 6) to float*), align 4, !tbaa !5
  %1054 = fneg contract float %380
  %1055 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 6) to float*), align 4, !tbaa !5
  %1056 = fneg contract float %369
  %1057 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 6) to float*), align 4, !tbaa !5
  %1058 = fneg contract float %361
  %1059 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 6) to float*), align 4, !tbaa !5
  %1060 = load float, float* %1047, align 4, !tbaa !5
  %1061 = tail call contract float @llvm.fma.f32(float %1058, float %1059, float %1060) #4
  %1062 = tail call contract float @llvm.fma.f32(float %1056, float %1057, float %1061) #4
  %1063 = tail call contract float @llvm.fma.f32(float %1054, float %1055, float %1062) #4
  %1064 = tail call contract float @llvm.fma.f32(float %1052, float %1053, float %1063) #4
  %1065 = tail call contract float @llvm.fma.f32(float %1050, float %1051, float %1064) #4
  %1066 = tail call contract float @llvm.fma.f32(float %1048, float %1049, float %1065) #4
  %1067 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 6) to float*), align 4, !tbaa !5
  %1068 = fdiv contract float %1066, %1067
  store float %1068, float* %1047, align 4, !tbaa !5
  %1069 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1070 = addrspacecast float addrspace(3)* %1069 to float*
  %1071 = load float, float* %1070, align 4, !tbaa !5
  %1072 = fneg contract float %361
  %1073 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 7) to float*), align 4, !tbaa !5
  %1074 = tail call contract float @llvm.fma.f32(float %1072, float %1073, float %1071) #4
  %1075 = fneg contract float %369
  %1076 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 7) to float*), align 4, !tbaa !5
  %1077 = tail call contract float @llvm.fma.f32(float %1075, float %1076, float %1074) #4
  %1078 = fneg contract float %380
  %1079 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 7) to float*), align 4, !tbaa !5
  %1080 = tail call contract float @llvm.fma.f32(float %1078, float %1079, float %1077) #4
  %1081 = fneg contract float %1008
  %1082 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 7) to float*), align 4, !tbaa !5
  %1083 = tail call contract float @llvm.fma.f32(float %1081, float %1082, float %1080) #4
  %1084 = fneg contract float %1025
  %1085 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 7) to float*), align 4, !tbaa !5
  %1086 = tail call contract float @llvm.fma.f32(float %1084, float %1085, float %1083) #4
  br label %1087

1087:                                             ; preds = %1006, %1087
  %1088 = phi i32 [ 1, %1006 ], [ %1102, %1087 ]
  %1089 = phi i32 [ 5, %1006 ], [ %1101, %1087 ]
  %1090 = phi float [ %1086, %1006 ], [ %1100, %1087 ]
  %1091 = zext i32 %1089 to i64
  %1092 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 %1091
  %1093 = addrspacecast float addrspace(3)* %1092 to float*
  %1094 = load float, float* %1093, align 4, !tbaa !5
  %1095 = zext i32 %1089 to i64
  %1096 = fneg contract float %1094
  %1097 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1095, i64 7
  %1098 = addrspacecast float addrspace(3)* %1097 to float*
  %1099 = load float, float* %1098, align 4, !tbaa !5
  %1100 = tail call contract float @llvm.fma.f32(float %1096, float %1099, float %1090) #4
  %1101 = add nuw nsw i32 %1089, 1
  %1102 = add nuw nsw i32 %1088, 1
  %1103 = icmp eq i32 %1102, 3
  br i1 %1103, label %1104, label %1087, !llvm.loop !13

1104:                                             ; preds = %1087
  %1105 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 7) to float*), align 4, !tbaa !5
  %1106 = fdiv contract float %1100, %1105
  store float %1106, float* %1070, align 4, !tbaa !5
  %1107 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 8
  %1108 = addrspacecast float addrspace(3)* %1107 to float*
  %1109 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1110 = addrspacecast float addrspace(3)* %1109 to float*
  %1111 = load float, float* %1110, align 4, !tbaa !5
  %1112 = fneg contract float %1111
  %1113 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 8) to float*), align 4, !tbaa !5
  %1114 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1115 = addrspacecast float addrspace(3)* %1114 to float*
  %1116 = load float, float* %1115, align 4, !tbaa !5
  %1117 = fneg contract float %1116
  %1118 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 8) to float*), align 4, !tbaa !5
  %1119 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1120 = addrspacecast float addrspace(3)* %1119 to float*
  %1121 = load float, float* %1120, align 4, !tbaa !5
  %1122 = fneg contract float %1121
  %1123 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 8) to float*), align 4, !tbaa !5
  %1124 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1125 = addrspacecast float addrspace(3)* %1124 to float*
  %1126 = load float, float* %1125, align 4, !tbaa !5
  %1127 = fneg contract float %1126
  %1128 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 8) to float*), align 4, !tbaa !5
  %1129 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1130 = addrspacecast float addrspace(3)* %1129 to float*
  %1131 = load float, float* %1130, align 4, !tbaa !5
  %1132 = fneg contract float %1131
  %1133 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 8) to float*), align 4, !tbaa !5
  %1134 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1135 = addrspacecast float addrspace(3)* %1134 to float*
  %1136 = load float, float* %1135, align 4, !tbaa !5
  %1137 = fneg contract float %1136
  %1138 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 8) to float*), align 4, !tbaa !5
  %1139 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1140 = addrspacecast float addrspace(3)* %1139 to float*
  %1141 = load float, float* %1140, align 4, !tbaa !5
  %1142 = fneg contract float %1141
  %1143 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 8) to float*), align 4, !tbaa !5
  %1144 = fneg contract float %361
  %1145 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 8) to float*), align 4, !tbaa !5
  %1146 = load float, float* %1108, align 4, !tbaa !5
  %1147 = tail call contract float @llvm.fma.f32(float %1144, float %1145, float %1146) #4
  %1148 = tail call contract float @llvm.fma.f32(float %1142, float %1143, float %1147) #4
  %1149 = tail call contract float @llvm.fma.f32(float %1137, float %1138, float %1148) #4
  %1150 = tail call contract float @llvm.fma.f32(float %1132, float %1133, float %1149) #4
  %1151 = tail call contract float @llvm.fma.f32(float %1127, float %1128, float %1150) #4
  %1152 = tail call contract float @llvm.fma.f32(float %1122, float %1123, float %1151) #4
  %1153 = tail call contract float @llvm.fma.f32(float %1117, float %1118, float %1152) #4
  %1154 = tail call contract float @llvm.fma.f32(float %1112, float %1113, float %1153) #4
  %1155 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 8) to float*), align 4, !tbaa !5
  %1156 = fdiv contract float %1154, %1155
  store float %1156, float* %1108, align 4, !tbaa !5
  %1157 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1158 = addrspacecast float addrspace(3)* %1157 to float*
  %1159 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1160 = addrspacecast float addrspace(3)* %1159 to float*
  %1161 = load float, float* %1160, align 4, !tbaa !5
  %1162 = fneg contract float %1161
  %1163 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 9) to float*), align 4, !tbaa !5
  %1164 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1165 = addrspacecast float addrspace(3)* %1164 to float*
  %1166 = load float, float* %1165, align 4, !tbaa !5
  %1167 = fneg contract float %1166
  %1168 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 9) to float*), align 4, !tbaa !5
  %1169 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1170 = addrspacecast float addrspace(3)* %1169 to float*
  %1171 = load float, float* %1170, align 4, !tbaa !5
  %1172 = fneg contract float %1171
  %1173 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 9) to float*), align 4, !tbaa !5
  %1174 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1175 = addrspacecast float addrspace(3)* %1174 to float*
  %1176 = load float, float* %1175, align 4, !tbaa !5
  %1177 = fneg contract float %1176
  %1178 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 9) to float*), align 4, !tbaa !5
  %1179 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1180 = addrspacecast float addrspace(3)* %1179 to float*
  %1181 = load float, float* %1180, align 4, !tbaa !5
  %1182 = fneg contract float %1181
  %1183 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 9) to float*), align 4, !tbaa !5
  %1184 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1185 = addrspacecast float addrspace(3)* %1184 to float*
  %1186 = load float, float* %1185, align 4, !tbaa !5
  %1187 = fneg contract float %1186
  %1188 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 9) to float*), align 4, !tbaa !5
  %1189 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1190 = addrspacecast float addrspace(3)* %1189 to float*
  %1191 = load float, float* %1190, align 4, !tbaa !5
  %1192 = fneg contract float %1191
  %1193 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 9) to float*), align 4, !tbaa !5
  %1194 = fneg contract float %361
  %1195 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 9) to float*), align 4, !tbaa !5
  %1196 = load float, float* %1158, align 4, !tbaa !5
  %1197 = tail call contract float @llvm.fma.f32(float %1194, float %1195, float %1196) #4
  %1198 = tail call contract float @llvm.fma.f32(float %1192, float %1193, float %1197) #4
  %1199 = tail call contract float @llvm.fma.f32(float %1187, float %1188, float %1198) #4
  %1200 = tail call contract float @llvm.fma.f32(float %1182, float %1183, float %1199) #4
  %1201 = tail call contract float @llvm.fma.f32(float %1177, float %1178, float %1200) #4
  %1202 = tail call contract float @llvm.fma.f32(float %1172, float %1173, float %1201) #4
  %1203 = tail call contract float @llvm.fma.f32(float %1167, float %1168, float %1202) #4
  %1204 = tail call contract float @llvm.fma.f32(float %1162, float %1163, float %1203) #4
  %1205 = fneg contract float %1156
  %1206 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 9) to float*), align 4, !tbaa !5
  %1207 = tail call contract float @llvm.fma.f32(float %1205, float %1206, float %1204) #4
  %1208 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 9) to float*), align 4, !tbaa !5
  %1209 = fdiv contract float %1207, %1208
  store float %1209, float* %1158, align 4, !tbaa !5
  %1210 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 10
  %1211 = addrspacecast float addrspace(3)* %1210 to float*
  %1212 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1213 = addrspacecast float addrspace(3)* %1212 to float*
  %1214 = load float, float* %1213, align 4, !tbaa !5
  %1215 = fneg contract float %1214
  %1216 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 10) to float*), align 4, !tbaa !5
  %1217 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1218 = addrspacecast float addrspace(3)* %1217 to float*
  %1219 = load float, float* %1218, align 4, !tbaa !5
  %1220 = fneg contract float %1219
  %1221 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 10) to float*), align 4, !tbaa !5
  %1222 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1223 = addrspacecast float addrspace(3)* %1222 to float*
  %1224 = load float, float* %1223, align 4, !tbaa !5
  %1225 = fneg contract float %1224
  %1226 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 10) to float*), align 4, !tbaa !5
  %1227 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1228 = addrspacecast float addrspace(3)* %1227 to float*
  %1229 = load float, float* %1228, align 4, !tbaa !5
  %1230 = fneg contract float %1229
  %1231 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 10) to float*), align 4, !tbaa !5
  %1232 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1233 = addrspacecast float addrspace(3)* %1232 to float*
  %1234 = load float, float* %1233, align 4, !tbaa !5
  %1235 = fneg contract float %1234
  %1236 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 10) to float*), align 4, !tbaa !5
  %1237 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1238 = addrspacecast float addrspace(3)* %1237 to float*
  %1239 = load float, float* %1238, align 4, !tbaa !5
  %1240 = fneg contract float %1239
  %1241 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 10) to float*), align 4, !tbaa !5
  %1242 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1243 = addrspacecast float addrspace(3)* %1242 to float*
  %1244 = load float, float* %1243, align 4, !tbaa !5
  %1245 = fneg contract float %1244
  %1246 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 10) to float*), align 4, !tbaa !5
  %1247 = fneg contract float %361
  %1248 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 10) to float*), align 4, !tbaa !5
  %1249 = load float, float* %1211, align 4, !tbaa !5
  %1250 = tail call contract float @llvm.fma.f32(float %1247, float %1248, float %1249) #4
  %1251 = tail call contract float @llvm.fma.f32(float %1245, float %1246, float %1250) #4
  %1252 = tail call contract float @llvm.fma.f32(float %1240, float %1241, float %1251) #4
  %1253 = tail call contract float @llvm.fma.f32(float %1235, float %1236, float %1252) #4
  %1254 = tail call contract float @llvm.fma.f32(float %1230, float %1231, float %1253) #4
  %1255 = tail call contract float @llvm.fma.f32(float %1225, float %1226, float %1254) #4
  %1256 = tail call contract float @llvm.fma.f32(float %1220, float %1221, float %1255) #4
  %1257 = tail call contract float @llvm.fma.f32(float %1215, float %1216, float %1256) #4
  %1258 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1259 = addrspacecast float addrspace(3)* %1258 to float*
  %1260 = load float, float* %1259, align 4, !tbaa !5
  %1261 = fneg contract float %1260
  %1262 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 10) to float*), align 4, !tbaa !5
  %1263 = fneg contract float %1156
  %1264 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 10) to float*), align 4, !tbaa !5
  %1265 = tail call contract float @llvm.fma.f32(float %1263, float %1264, float %1257) #4
  %1266 = tail call contract float @llvm.fma.f32(float %1261, float %1262, float %1265) #4
  %1267 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 10) to float*), align 4, !tbaa !5
  %1268 = fdiv contract float %1266, %1267
  store float %1268, float* %1211, align 4, !tbaa !5
  %1269 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 11
  %1270 = addrspacecast float addrspace(3)* %1269 to float*
  %1271 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1272 = addrspacecast float addrspace(3)* %1271 to float*
  %1273 = load float, float* %1272, align 4, !tbaa !5
  %1274 = fneg contract float %1273
  %1275 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 11) to float*), align 4, !tbaa !5
  %1276 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1277 = addrspacecast float addrspace(3)* %1276 to float*
  %1278 = load float, float* %1277, align 4, !tbaa !5
  %1279 = fneg contract float %1278
  %1280 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 11) to float*), align 4, !tbaa !5
  %1281 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1282 = addrspacecast float addrspace(3)* %1281 to float*
  %1283 = load float, float* %1282, align 4, !tbaa !5
  %1284 = fneg contract float %1283
  %1285 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 11) to float*), align 4, !tbaa !5
  %1286 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1287 = addrspacecast float addrspace(3)* %1286 to float*
  %1288 = load float, float* %1287, align 4, !tbaa !5
  %1289 = fneg contract float %1288
  %1290 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 11) to float*), align 4, !tbaa !5
  %1291 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1292 = addrspacecast float addrspace(3)* %1291 to float*
  %1293 = load float, float* %1292, align 4, !tbaa !5
  %1294 = fneg contract float %1293
  %1295 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 11) to float*), align 4, !tbaa !5
  %1296 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1297 = addrspacecast float addrspace(3)* %1296 to float*
  %1298 = load float, float* %1297, align 4, !tbaa !5
  %1299 = fneg contract float %1298
  %1300 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 11) to float*), align 4, !tbaa !5
  %1301 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1302 = addrspacecast float addrspace(3)* %1301 to float*
  %1303 = load float, float* %1302, align 4, !tbaa !5
  %1304 = fneg contract float %1303
  %1305 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 11) to float*), align 4, !tbaa !5
  %1306 = fneg contract float %361
  %1307 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 11) to float*), align 4, !tbaa !5
  %1308 = load float, float* %1270, align 4, !tbaa !5
  %1309 = tail call contract float @llvm.fma.f32(float %1306, float %1307, float %1308) #4
  %1310 = tail call contract float @llvm.fma.f32(float %1304, float %1305, float %1309) #4
  %1311 = tail call contract float @llvm.fma.f32(float %1299, float %1300, float %1310) #4
  %1312 = tail call contract float @llvm.fma.f32(float %1294, float %1295, float %1311) #4
  %1313 = tail call contract float @llvm.fma.f32(float %1289, float %1290, float %1312) #4
  %1314 = tail call contract float @llvm.fma.f32(float %1284, float %1285, float %1313) #4
  %1315 = tail call contract float @llvm.fma.f32(float %1279, float %1280, float %1314) #4
  %1316 = tail call contract float @llvm.fma.f32(float %1274, float %1275, float %1315) #4
  %1317 = fneg contract float %1156
  %1318 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 11) to float*), align 4, !tbaa !5
  %1319 = tail call contract float @llvm.fma.f32(float %1317, float %1318, float %1316) #4
  br label %1320

1320:                                             ; preds = %1104, %1320
  %1321 = phi i32 [ 1, %1104 ], [ %1335, %1320 ]
  %1322 = phi i32 [ 9, %1104 ], [ %1334, %1320 ]
  %1323 = phi float [ %1319, %1104 ], [ %1333, %1320 ]
  %1324 = zext i32 %1322 to i64
  %1325 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 %1324
  %1326 = addrspacecast float addrspace(3)* %1325 to float*
  %1327 = load float, float* %1326, align 4, !tbaa !5
  %1328 = zext i32 %1322 to i64
  %1329 = fneg contract float %1327
  %1330 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1328, i64 11
  %1331 = addrspacecast float addrspace(3)* %1330 to float*
  %1332 = load float, float* %1331, align 4, !tbaa !5
  %1333 = tail call contract float @llvm.fma.f32(float %1329, float %1332, float %1323) #4
  %1334 = add nuw nsw i32 %1322, 1
  %1335 = add nuw nsw i32 %1321, 1
  %1336 = icmp eq i32 %1335, 3
  br i1 %1336, label %1337, label %1320, !llvm.loop !13

1337:                                             ; preds = %1320
  %1338 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 11) to float*), align 4, !tbaa !5
  %1339 = fdiv contract float %1333, %1338
  store float %1339, float* %1270, align 4, !tbaa !5
  %1340 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 12
  %1341 = addrspacecast float addrspace(3)* %1340 to float*
  %1342 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 11
  %1343 = addrspacecast float addrspace(3)* %1342 to float*
  %1344 = load float, float* %1343, align 4, !tbaa !5
  %1345 = fneg contract float %1344
  %1346 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 12) to float*), align 4, !tbaa !5
  %1347 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 10
  %1348 = addrspacecast float addrspace(3)* %1347 to float*
  %1349 = load float, float* %1348, align 4, !tbaa !5
  %1350 = fneg contract float %1349
  %1351 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 12) to float*), align 4, !tbaa !5
  %1352 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1353 = addrspacecast float addrspace(3)* %1352 to float*
  %1354 = load float, float* %1353, align 4, !tbaa !5
  %1355 = fneg contract float %1354
  %1356 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 12) to float*), align 4, !tbaa !5
  %1357 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 8
  %1358 = addrspacecast float addrspace(3)* %1357 to float*
  %1359 = load float, float* %1358, align 4, !tbaa !5
  %1360 = fneg contract float %1359
  %1361 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 12) to float*), align 4, !tbaa !5
  %1362 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1363 = addrspacecast float addrspace(3)* %1362 to float*
  %1364 = load float, float* %1363, align 4, !tbaa !5
  %1365 = fneg contract float %1364
  %1366 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 12) to float*), align 4, !tbaa !5
  %1367 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1368 = addrspacecast float addrspace(3)* %1367 to float*
  %1369 = load float, float* %1368, align 4, !tbaa !5
  %1370 = fneg contract float %1369
  %1371 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 12) to float*), align 4, !tbaa !5
  %1372 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1373 = addrspacecast float addrspace(3)* %1372 to float*
  %1374 = load float, float* %1373, align 4, !tbaa !5
  %1375 = fneg contract float %1374
  %1376 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 12) to float*), align 4, !tbaa !5
  %1377 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1378 = addrspacecast float addrspace(3)* %1377 to float*
  %1379 = load float, float* %1378, align 4, !tbaa !5
  %1380 = fneg contract float %1379
  %1381 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 12) to float*), align 4, !tbaa !5
  %1382 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1383 = addrspacecast float addrspace(3)* %1382 to float*
  %1384 = load float, float* %1383, align 4, !tbaa !5
  %1385 = fneg contract float %1384
  %1386 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 12) to float*), align 4, !tbaa !5
  %1387 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1388 = addrspacecast float addrspace(3)* %1387 to float*
  %1389 = load float, float* %1388, align 4, !tbaa !5
  %1390 = fneg contract float %1389
  %1391 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 12) to float*), align 4, !tbaa !5
  %1392 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1393 = addrspacecast float addrspace(3)* %1392 to float*
  %1394 = load float, float* %1393, align 4, !tbaa !5
  %1395 = fneg contract float %1394
  %1396 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 12) to float*), align 4, !tbaa !5
  %1397 = fneg contract float %361
  %1398 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 12) to float*), align 4, !tbaa !5
  %1399 = load float, float* %1341, align 4, !tbaa !5
  %1400 = tail call contract float @llvm.fma.f32(float %1397, float %1398, float %1399) #4
  %1401 = tail call contract float @llvm.fma.f32(float %1395, float %1396, float %1400) #4
  %1402 = tail call contract float @llvm.fma.f32(float %1390, float %1391, float %1401) #4
  %1403 = tail call contract float @llvm.fma.f32(float %1385, float %1386, float %1402) #4
  %1404 = tail call contract float @llvm.fma.f32(float %1380, float %1381, float %1403) #4
  %1405 = tail call contract float @llvm.fma.f32(float %1375, float %1376, float %1404) #4
  %1406 = tail call contract float @llvm.fma.f32(float %1370, float %1371, float %1405) #4
  %1407 = tail call contract float @llvm.fma.f32(float %1365, float %1366, float %1406) #4
  %1408 = tail call contract float @llvm.fma.f32(float %1360, float %1361, float %1407) #4
  %1409 = tail call contract float @llvm.fma.f32(float %1355, float %1356, float %1408) #4
  %1410 = tail call contract float @llvm.fma.f32(float %1350, float %1351, float %1409) #4
  %1411 = tail call contract float @llvm.fma.f32(float %1345, float %1346, float %1410) #4
  %1412 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 12) to float*), align 4, !tbaa !5
  %1413 = fdiv contract float %1411, %1412
  store float %1413, float* %1341, align 4, !tbaa !5
  %1414 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 13
  %1415 = addrspacecast float addrspace(3)* %1414 to float*
  %1416 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 11
  %1417 = addrspacecast float addrspace(3)* %1416 to float*
  %1418 = load float, float* %1417, align 4, !tbaa !5
  %1419 = fneg contract float %1418
  %1420 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 13) to float*), align 4, !tbaa !5
  %1421 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 10
  %1422 = addrspacecast float addrspace(3)* %1421 to float*
  %1423 = load float, float* %1422, align 4, !tbaa !5
  %1424 = fneg contract float %1423
  %1425 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 13) to float*), align 4, !tbaa !5
  %1426 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1427 = addrspacecast float addrspace(3)* %1426 to float*
  %1428 = load float, float* %1427, align 4, !tbaa !5
  %1429 = fneg contract float %1428
  %1430 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 13) to float*), align 4, !tbaa !5
  %1431 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 8
  %1432 = addrspacecast float addrspace(3)* %1431 to float*
  %1433 = load float, float* %1432, align 4, !tbaa !5
  %1434 = fneg contract float %1433
  %1435 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 13) to float*), align 4, !tbaa !5
  %1436 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1437 = addrspacecast float addrspace(3)* %1436 to float*
  %1438 = load float, float* %1437, align 4, !tbaa !5
  %1439 = fneg contract float %1438
  %1440 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 13) to float*), align 4, !tbaa !5
  %1441 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1442 = addrspacecast float addrspace(3)* %1441 to float*
  %1443 = load float, float* %1442, align 4, !tbaa !5
  %1444 = fneg contract float %1443
  %1445 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 13) to float*), align 4, !tbaa !5
  %1446 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1447 = addrspacecast float addrspace(3)* %1446 to float*
  %1448 = load float, float* %1447, align 4, !tbaa !5
  %1449 = fneg contract float %1448
  %1450 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 13) to float*), align 4, !tbaa !5
  %1451 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1452 = addrspacecast float addrspace(3)* %1451 to float*
  %1453 = load float, float* %1452, align 4, !tbaa !5
  %1454 = fneg contract float %1453
  %1455 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 13) to float*), align 4, !tbaa !5
  %1456 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1457 = addrspacecast float addrspace(3)* %1456 to float*
  %1458 = load float, float* %1457, align 4, !tbaa !5
  %1459 = fneg contract float %1458
  %1460 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 13) to float*), align 4, !tbaa !5
  %1461 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1462 = addrspacecast float addrspace(3)* %1461 to float*
  %1463 = load float, float* %1462, align 4, !tbaa !5
  %1464 = fneg contract float %1463
  %1465 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 13) to float*), align 4, !tbaa !5
  %1466 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1467 = addrspacecast float addrspace(3)* %1466 to float*
  %1468 = load float, float* %1467, align 4, !tbaa !5
  %1469 = fneg contract float %1468
  %1470 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 13) to float*), align 4, !tbaa !5
  %1471 = fneg contract float %361
  %1472 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 13) to float*), align 4, !tbaa !5
  %1473 = load float, float* %1415, align 4, !tbaa !5
  %1474 = tail call contract float @llvm.fma.f32(float %1471, float %1472, float %1473) #4
  %1475 = tail call contract float @llvm.fma.f32(float %1469, float %1470, float %1474) #4
  %1476 = tail call contract float @llvm.fma.f32(float %1464, float %1465, float %1475) #4
  %1477 = tail call contract float @llvm.fma.f32(float %1459, float %1460, float %1476) #4
  %1478 = tail call contract float @llvm.fma.f32(float %1454, float %1455, float %1477) #4
  %1479 = tail call contract float @llvm.fma.f32(float %1449, float %1450, float %1478) #4
  %1480 = tail call contract float @llvm.fma.f32(float %1444, float %1445, float %1479) #4
  %1481 = tail call contract float @llvm.fma.f32(float %1439, float %1440, float %1480) #4
  %1482 = tail call contract float @llvm.fma.f32(float %1434, float %1435, float %1481) #4
  %1483 = tail call contract float @llvm.fma.f32(float %1429, float %1430, float %1482) #4
  %1484 = tail call contract float @llvm.fma.f32(float %1424, float %1425, float %1483) #4
  %1485 = tail call contract float @llvm.fma.f32(float %1419, float %1420, float %1484) #4
  %1486 = fneg contract float %1413
  %1487 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 13) to float*), align 4, !tbaa !5
  %1488 = tail call contract float @llvm.fma.f32(float %1486, float %1487, float %1485) #4
  %1489 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 13) to float*), align 4, !tbaa !5
  %1490 = fdiv contract float %1488, %1489
  store float %1490, float* %1415, align 4, !tbaa !5
  %1491 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 14
  %1492 = addrspacecast float addrspace(3)* %1491 to float*
  %1493 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 11
  %1494 = addrspacecast float addrspace(3)* %1493 to float*
  %1495 = load float, float* %1494, align 4, !tbaa !5
  %1496 = fneg contract float %1495
  %1497 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 14) to float*), align 4, !tbaa !5
  %1498 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 10
  %1499 = addrspacecast float addrspace(3)* %1498 to float*
  %1500 = load float, float* %1499, align 4, !tbaa !5
  %1501 = fneg contract float %1500
  %1502 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 14) to float*), align 4, !tbaa !5
  %1503 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1504 = addrspacecast float addrspace(3)* %1503 to float*
  %1505 = load float, float* %1504, align 4, !tbaa !5
  %1506 = fneg contract float %1505
  %1507 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 14) to float*), align 4, !tbaa !5
  %1508 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 8
  %1509 = addrspacecast float addrspace(3)* %1508 to float*
  %1510 = load float, float* %1509, align 4, !tbaa !5
  %1511 = fneg contract float %1510
  %1512 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 14) to float*), align 4, !tbaa !5
  %1513 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1514 = addrspacecast float addrspace(3)* %1513 to float*
  %1515 = load float, float* %1514, align 4, !tbaa !5
  %1516 = fneg contract float %1515
  %1517 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 14) to float*), align 4, !tbaa !5
  %1518 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1519 = addrspacecast float addrspace(3)* %1518 to float*
  %1520 = load float, float* %1519, align 4, !tbaa !5
  %1521 = fneg contract float %1520
  %1522 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 14) to float*), align 4, !tbaa !5
  %1523 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1524 = addrspacecast float addrspace(3)* %1523 to float*
  %1525 = load float, float* %1524, align 4, !tbaa !5
  %1526 = fneg contract float %1525
  %1527 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 14) to float*), align 4, !tbaa !5
  %1528 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1529 = addrspacecast float addrspace(3)* %1528 to float*
  %1530 = load float, float* %1529, align 4, !tbaa !5
  %1531 = fneg contract float %1530
  %1532 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 14) to float*), align 4, !tbaa !5
  %1533 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1534 = addrspacecast float addrspace(3)* %1533 to float*
  %1535 = load float, float* %1534, align 4, !tbaa !5
  %1536 = fneg contract float %1535
  %1537 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 14) to float*), align 4, !tbaa !5
  %1538 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1539 = addrspacecast float addrspace(3)* %1538 to float*
  %1540 = load float, float* %1539, align 4, !tbaa !5
  %1541 = fneg contract float %1540
  %1542 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 14) to float*), align 4, !tbaa !5
  %1543 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1544 = addrspacecast float addrspace(3)* %1543 to float*
  %1545 = load float, float* %1544, align 4, !tbaa !5
  %1546 = fneg contract float %1545
  %1547 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 14) to float*), align 4, !tbaa !5
  %1548 = fneg contract float %361
  %1549 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 14) to float*), align 4, !tbaa !5
  %1550 = load float, float* %1492, align 4, !tbaa !5
  %1551 = tail call contract float @llvm.fma.f32(float %1548, float %1549, float %1550) #4
  %1552 = tail call contract float @llvm.fma.f32(float %1546, float %1547, float %1551) #4
  %1553 = tail call contract float @llvm.fma.f32(float %1541, float %1542, float %1552) #4
  %1554 = tail call contract float @llvm.fma.f32(float %1536, float %1537, float %1553) #4
  %1555 = tail call contract float @llvm.fma.f32(float %1531, float %1532, float %1554) #4
  %1556 = tail call contract float @llvm.fma.f32(float %1526, float %1527, float %1555) #4
  %1557 = tail call contract float @llvm.fma.f32(float %1521, float %1522, float %1556) #4
  %1558 = tail call contract float @llvm.fma.f32(float %1516, float %1517, float %1557) #4
  %1559 = tail call contract float @llvm.fma.f32(float %1511, float %1512, float %1558) #4
  %1560 = tail call contract float @llvm.fma.f32(float %1506, float %1507, float %1559) #4
  %1561 = tail call contract float @llvm.fma.f32(float %1501, float %1502, float %1560) #4
  %1562 = tail call contract float @llvm.fma.f32(float %1496, float %1497, float %1561) #4
  %1563 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 13
  %1564 = addrspacecast float addrspace(3)* %1563 to float*
  %1565 = load float, float* %1564, align 4, !tbaa !5
  %1566 = fneg contract float %1565
  %1567 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 13, i64 14) to float*), align 4, !tbaa !5
  %1568 = fneg contract float %1413
  %1569 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 14) to float*), align 4, !tbaa !5
  %1570 = tail call contract float @llvm.fma.f32(float %1568, float %1569, float %1562) #4
  %1571 = tail call contract float @llvm.fma.f32(float %1566, float %1567, float %1570) #4
  %1572 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 14, i64 14) to float*), align 4, !tbaa !5
  %1573 = fdiv contract float %1571, %1572
  store float %1573, float* %1492, align 4, !tbaa !5
  %1574 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 15
  %1575 = addrspacecast float addrspace(3)* %1574 to float*
  %1576 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 11
  %1577 = addrspacecast float addrspace(3)* %1576 to float*
  %1578 = load float, float* %1577, align 4, !tbaa !5
  %1579 = fneg contract float %1578
  %1580 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 11, i64 15) to float*), align 4, !tbaa !5
  %1581 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 10
  %1582 = addrspacecast float addrspace(3)* %1581 to float*
  %1583 = load float, float* %1582, align 4, !tbaa !5
  %1584 = fneg contract float %1583
  %1585 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 10, i64 15) to float*), align 4, !tbaa !5
  %1586 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 9
  %1587 = addrspacecast float addrspace(3)* %1586 to float*
  %1588 = load float, float* %1587, align 4, !tbaa !5
  %1589 = fneg contract float %1588
  %1590 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 9, i64 15) to float*), align 4, !tbaa !5
  %1591 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 8
  %1592 = addrspacecast float addrspace(3)* %1591 to float*
  %1593 = load float, float* %1592, align 4, !tbaa !5
  %1594 = fneg contract float %1593
  %1595 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 8, i64 15) to float*), align 4, !tbaa !5
  %1596 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 7
  %1597 = addrspacecast float addrspace(3)* %1596 to float*
  %1598 = load float, float* %1597, align 4, !tbaa !5
  %1599 = fneg contract float %1598
  %1600 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 7, i64 15) to float*), align 4, !tbaa !5
  %1601 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 6
  %1602 = addrspacecast float addrspace(3)* %1601 to float*
  %1603 = load float, float* %1602, align 4, !tbaa !5
  %1604 = fneg contract float %1603
  %1605 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 6, i64 15) to float*), align 4, !tbaa !5
  %1606 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 5
  %1607 = addrspacecast float addrspace(3)* %1606 to float*
  %1608 = load float, float* %1607, align 4, !tbaa !5
  %1609 = fneg contract float %1608
  %1610 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 5, i64 15) to float*), align 4, !tbaa !5
  %1611 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 4
  %1612 = addrspacecast float addrspace(3)* %1611 to float*
  %1613 = load float, float* %1612, align 4, !tbaa !5
  %1614 = fneg contract float %1613
  %1615 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 4, i64 15) to float*), align 4, !tbaa !5
  %1616 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 3
  %1617 = addrspacecast float addrspace(3)* %1616 to float*
  %1618 = load float, float* %1617, align 4, !tbaa !5
  %1619 = fneg contract float %1618
  %1620 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 3, i64 15) to float*), align 4, !tbaa !5
  %1621 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 2
  %1622 = addrspacecast float addrspace(3)* %1621 to float*
  %1623 = load float, float* %1622, align 4, !tbaa !5
  %1624 = fneg contract float %1623
  %1625 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 2, i64 15) to float*), align 4, !tbaa !5
  %1626 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 1
  %1627 = addrspacecast float addrspace(3)* %1626 to float*
  %1628 = load float, float* %1627, align 4, !tbaa !5
  %1629 = fneg contract float %1628
  %1630 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 1, i64 15) to float*), align 4, !tbaa !5
  %1631 = fneg contract float %361
  %1632 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 0, i64 15) to float*), align 4, !tbaa !5
  %1633 = load float, float* %1575, align 4, !tbaa !5
  %1634 = tail call contract float @llvm.fma.f32(float %1631, float %1632, float %1633) #4
  %1635 = tail call contract float @llvm.fma.f32(float %1629, float %1630, float %1634) #4
  %1636 = tail call contract float @llvm.fma.f32(float %1624, float %1625, float %1635) #4
  %1637 = tail call contract float @llvm.fma.f32(float %1619, float %1620, float %1636) #4
  %1638 = tail call contract float @llvm.fma.f32(float %1614, float %1615, float %1637) #4
  %1639 = tail call contract float @llvm.fma.f32(float %1609, float %1610, float %1638) #4
  %1640 = tail call contract float @llvm.fma.f32(float %1604, float %1605, float %1639) #4
  %1641 = tail call contract float @llvm.fma.f32(float %1599, float %1600, float %1640) #4
  %1642 = tail call contract float @llvm.fma.f32(float %1594, float %1595, float %1641) #4
  %1643 = tail call contract float @llvm.fma.f32(float %1589, float %1590, float %1642) #4
  %1644 = tail call contract float @llvm.fma.f32(float %1584, float %1585, float %1643) #4
  %1645 = tail call contract float @llvm.fma.f32(float %1579, float %1580, float %1644) #4
  %1646 = fneg contract float %1413
  %1647 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 12, i64 15) to float*), align 4, !tbaa !5
  %1648 = tail call contract float @llvm.fma.f32(float %1646, float %1647, float %1645) #4
  br label %1649

1649:                                             ; preds = %1337, %1649
  %1650 = phi i32 [ 1, %1337 ], [ %1664, %1649 ]
  %1651 = phi i32 [ 13, %1337 ], [ %1663, %1649 ]
  %1652 = phi float [ %1648, %1337 ], [ %1662, %1649 ]
  %1653 = zext i32 %1651 to i64
  %1654 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 %355, i64 %1653
  %1655 = addrspacecast float addrspace(3)* %1654 to float*
  %1656 = load float, float* %1655, align 4, !tbaa !5
  %1657 = zext i32 %1651 to i64
  %1658 = fneg contract float %1656
  %1659 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 %1657, i64 15
  %1660 = addrspacecast float addrspace(3)* %1659 to float*
  %1661 = load float, float* %1660, align 4, !tbaa !5
  %1662 = tail call contract float @llvm.fma.f32(float %1658, float %1661, float %1652) #4
  %1663 = add nuw nsw i32 %1651, 1
  %1664 = add nuw nsw i32 %1650, 1
  %1665 = icmp eq i32 %1664, 3
  br i1 %1665, label %1666, label %1649, !llvm.loop !13

1666:                                             ; preds = %1649
  %1667 = load float, float* addrspacecast (float addrspace(3)* getelementptr inbounds ([16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE8diagonal, i64 0, i64 15, i64 15) to float*), align 4, !tbaa !5
  %1668 = fdiv contract float %1662, %1667
  store float %1668, float* %1575, align 4, !tbaa !5
  br label %1669

1669:                                             ; preds = %1666, %988
  tail call void @llvm.nvvm.barrier0()
  %1670 = zext i32 %6 to i64
  br i1 %5, label %1794, label %1671

1671:                                             ; preds = %1669
  %1672 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 0, i64 %1670
  %1673 = addrspacecast float addrspace(3)* %1672 to float*
  %1674 = load float, float* %1673, align 4, !tbaa !5
  %1675 = mul i32 %9, %1
  %1676 = or i32 %1675, %6
  %1677 = zext i32 %1676 to i64
  %1678 = getelementptr inbounds float, float* %14, i64 %1677
  store float %1674, float* %1678, align 4, !tbaa !5
  %1679 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 1, i64 %1670
  %1680 = addrspacecast float addrspace(3)* %1679 to float*
  %1681 = load float, float* %1680, align 4, !tbaa !5
  %1682 = add i32 %8, 17
  %1683 = mul i32 %1682, %1
  %1684 = add i32 %1683, %6
  %1685 = zext i32 %1684 to i64
  %1686 = getelementptr inbounds float, float* %14, i64 %1685
  store float %1681, float* %1686, align 4, !tbaa !5
  %1687 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 2, i64 %1670
  %1688 = addrspacecast float addrspace(3)* %1687 to float*
  %1689 = load float, float* %1688, align 4, !tbaa !5
  %1690 = add i32 %8, 18
  %1691 = mul i32 %1690, %1
  %1692 = add i32 %1691, %6
  %1693 = zext i32 %1692 to i64
  %1694 = getelementptr inbounds float, float* %14, i64 %1693
  store float %1689, float* %1694, align 4, !tbaa !5
  %1695 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 3, i64 %1670
  %1696 = addrspacecast float addrspace(3)* %1695 to float*
  %1697 = load float, float* %1696, align 4, !tbaa !5
  %1698 = add i32 %8, 19
  %1699 = mul i32 %1698, %1
  %1700 = add i32 %1699, %6
  %1701 = zext i32 %1700 to i64
  %1702 = getelementptr inbounds float, float* %14, i64 %1701
  store float %1697, float* %1702, align 4, !tbaa !5
  %1703 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 4, i64 %1670
  %1704 = addrspacecast float addrspace(3)* %1703 to float*
  %1705 = load float, float* %1704, align 4, !tbaa !5
  %1706 = add i32 %8, 20
  %1707 = mul i32 %1706, %1
  %1708 = add i32 %1707, %6
  %1709 = zext i32 %1708 to i64
  %1710 = getelementptr inbounds float, float* %14, i64 %1709
  store float %1705, float* %1710, align 4, !tbaa !5
  %1711 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 5, i64 %1670
  %1712 = addrspacecast float addrspace(3)* %1711 to float*
  %1713 = load float, float* %1712, align 4, !tbaa !5
  %1714 = add i32 %8, 21
  %1715 = mul i32 %1714, %1
  %1716 = add i32 %1715, %6
  %1717 = zext i32 %1716 to i64
  %1718 = getelementptr inbounds float, float* %14, i64 %1717
  store float %1713, float* %1718, align 4, !tbaa !5
  %1719 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 6, i64 %1670
  %1720 = addrspacecast float addrspace(3)* %1719 to float*
  %1721 = load float, float* %1720, align 4, !tbaa !5
  %1722 = add i32 %8, 22
  %1723 = mul i32 %1722, %1
  %1724 = add i32 %1723, %6
  %1725 = zext i32 %1724 to i64
  %1726 = getelementptr inbounds float, float* %14, i64 %1725
  store float %1721, float* %1726, align 4, !tbaa !5
  %1727 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 7, i64 %1670
  %1728 = addrspacecast float addrspace(3)* %1727 to float*
  %1729 = load float, float* %1728, align 4, !tbaa !5
  %1730 = add i32 %8, 23
  %1731 = mul i32 %1730, %1
  %1732 = add i32 %1731, %6
  %1733 = zext i32 %1732 to i64
  %1734 = getelementptr inbounds float, float* %14, i64 %1733
  store float %1729, float* %1734, align 4, !tbaa !5
  %1735 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 8, i64 %1670
  %1736 = addrspacecast float addrspace(3)* %1735 to float*
  %1737 = load float, float* %1736, align 4, !tbaa !5
  %1738 = add i32 %8, 24
  %1739 = mul i32 %1738, %1
  %1740 = add i32 %1739, %6
  %1741 = zext i32 %1740 to i64
  %1742 = getelementptr inbounds float, float* %14, i64 %1741
  store float %1737, float* %1742, align 4, !tbaa !5
  %1743 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 9, i64 %1670
  %1744 = addrspacecast float addrspace(3)* %1743 to float*
  %1745 = load float, float* %1744, align 4, !tbaa !5
  %1746 = add i32 %8, 25
  %1747 = mul i32 %1746, %1
  %1748 = add i32 %1747, %6
  %1749 = zext i32 %1748 to i64
  %1750 = getelementptr inbounds float, float* %14, i64 %1749
  store float %1745, float* %1750, align 4, !tbaa !5
  %1751 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 10, i64 %1670
  %1752 = addrspacecast float addrspace(3)* %1751 to float*
  %1753 = load float, float* %1752, align 4, !tbaa !5
  %1754 = add i32 %8, 26
  %1755 = mul i32 %1754, %1
  %1756 = add i32 %1755, %6
  %1757 = zext i32 %1756 to i64
  %1758 = getelementptr inbounds float, float* %14, i64 %1757
  store float %1753, float* %1758, align 4, !tbaa !5
  %1759 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 11, i64 %1670
  %1760 = addrspacecast float addrspace(3)* %1759 to float*
  %1761 = load float, float* %1760, align 4, !tbaa !5
  %1762 = add i32 %8, 27
  %1763 = mul i32 %1762, %1
  %1764 = add i32 %1763, %6
  %1765 = zext i32 %1764 to i64
  %1766 = getelementptr inbounds float, float* %14, i64 %1765
  store float %1761, float* %1766, align 4, !tbaa !5
  %1767 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 12, i64 %1670
  %1768 = addrspacecast float addrspace(3)* %1767 to float*
  %1769 = load float, float* %1768, align 4, !tbaa !5
  %1770 = add i32 %8, 28
  %1771 = mul i32 %1770, %1
  %1772 = add i32 %1771, %6
  %1773 = zext i32 %1772 to i64
  %1774 = getelementptr inbounds float, float* %14, i64 %1773
  store float %1769, float* %1774, align 4, !tbaa !5
  %1775 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 13, i64 %1670
  %1776 = addrspacecast float addrspace(3)* %1775 to float*
  %1777 = load float, float* %1776, align 4, !tbaa !5
  %1778 = add i32 %8, 29
  %1779 = mul i32 %1778, %1
  %1780 = add i32 %1779, %6
  %1781 = zext i32 %1780 to i64
  %1782 = getelementptr inbounds float, float* %14, i64 %1781
  store float %1777, float* %1782, align 4, !tbaa !5
  %1783 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE7columns, i64 0, i64 14, i64 %1670
  %1784 = addrspacecast float addrspace(3)* %1783 to float*
  %1785 = load float, float* %1784, align 4, !tbaa !5
  %1786 = add i32 %8, 30
  %1787 = mul i32 %1786, %1
  %1788 = add i32 %1787, %6
  %1789 = zext i32 %1788 to i64
  %1790 = getelementptr inbounds float, float* %14, i64 %1789
  store float %1785, float* %1790, align 4, !tbaa !5
  %1791 = add i32 %8, 31
  %1792 = mul i32 %1791, %1
  %1793 = add i32 %1792, %6
  br label %1895

1794:                                             ; preds = %1669
  %1795 = or i32 %9, %6
  %1796 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 1, i64 %1670
  %1797 = addrspacecast float addrspace(3)* %1796 to float*
  %1798 = load float, float* %1797, align 4, !tbaa !5
  %1799 = add i32 %1795, %1
  %1800 = zext i32 %1799 to i64
  %1801 = getelementptr inbounds float, float* %14, i64 %1800
  store float %1798, float* %1801, align 4, !tbaa !5
  %1802 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 2, i64 %1670
  %1803 = addrspacecast float addrspace(3)* %1802 to float*
  %1804 = load float, float* %1803, align 4, !tbaa !5
  %1805 = shl i32 %1, 1
  %1806 = add i32 %1795, %1805
  %1807 = zext i32 %1806 to i64
  %1808 = getelementptr inbounds float, float* %14, i64 %1807
  store float %1804, float* %1808, align 4, !tbaa !5
  %1809 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 3, i64 %1670
  %1810 = addrspacecast float addrspace(3)* %1809 to float*
  %1811 = load float, float* %1810, align 4, !tbaa !5
  %1812 = mul i32 %1, 3
  %1813 = add i32 %1795, %1812
  %1814 = zext i32 %1813 to i64
  %1815 = getelementptr inbounds float, float* %14, i64 %1814
  store float %1811, float* %1815, align 4, !tbaa !5
  %1816 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 4, i64 %1670
  %1817 = addrspacecast float addrspace(3)* %1816 to float*
  %1818 = load float, float* %1817, align 4, !tbaa !5
  %1819 = shl i32 %1, 2
  %1820 = add i32 %1795, %1819
  %1821 = zext i32 %1820 to i64
  %1822 = getelementptr inbounds float, float* %14, i64 %1821
  store float %1818, float* %1822, align 4, !tbaa !5
  %1823 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 5, i64 %1670
  %1824 = addrspacecast float addrspace(3)* %1823 to float*
  %1825 = load float, float* %1824, align 4, !tbaa !5
  %1826 = mul i32 %1, 5
  %1827 = add i32 %1795, %1826
  %1828 = zext i32 %1827 to i64
  %1829 = getelementptr inbounds float, float* %14, i64 %1828
  store float %1825, float* %1829, align 4, !tbaa !5
  %1830 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 6, i64 %1670
  %1831 = addrspacecast float addrspace(3)* %1830 to float*
  %1832 = load float, float* %1831, align 4, !tbaa !5
  %1833 = mul i32 %1, 6
  %1834 = add i32 %1795, %1833
  %1835 = zext i32 %1834 to i64
  %1836 = getelementptr inbounds float, float* %14, i64 %1835
  store float %1832, float* %1836, align 4, !tbaa !5
  %1837 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 7, i64 %1670
  %1838 = addrspacecast float addrspace(3)* %1837 to float*
  %1839 = load float, float* %1838, align 4, !tbaa !5
  %1840 = mul i32 %1, 7
  %1841 = add i32 %1795, %1840
  %1842 = zext i32 %1841 to i64
  %1843 = getelementptr inbounds float, float* %14, i64 %1842
  store float %1839, float* %1843, align 4, !tbaa !5
  %1844 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 8, i64 %1670
  %1845 = addrspacecast float addrspace(3)* %1844 to float*
  %1846 = load float, float* %1845, align 4, !tbaa !5
  %1847 = shl i32 %1, 3
  %1848 = add i32 %1795, %1847
  %1849 = zext i32 %1848 to i64
  %1850 = getelementptr inbounds float, float* %14, i64 %1849
  store float %1846, float* %1850, align 4, !tbaa !5
  %1851 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 9, i64 %1670
  %1852 = addrspacecast float addrspace(3)* %1851 to float*
  %1853 = load float, float* %1852, align 4, !tbaa !5
  %1854 = mul i32 %1, 9
  %1855 = add i32 %1795, %1854
  %1856 = zext i32 %1855 to i64
  %1857 = getelementptr inbounds float, float* %14, i64 %1856
  store float %1853, float* %1857, align 4, !tbaa !5
  %1858 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 10, i64 %1670
  %1859 = addrspacecast float addrspace(3)* %1858 to float*
  %1860 = load float, float* %1859, align 4, !tbaa !5
  %1861 = mul i32 %1, 10
  %1862 = add i32 %1795, %1861
  %1863 = zext i32 %1862 to i64
  %1864 = getelementptr inbounds float, float* %14, i64 %1863
  store float %1860, float* %1864, align 4, !tbaa !5
  %1865 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 11, i64 %1670
  %1866 = addrspacecast float addrspace(3)* %1865 to float*
  %1867 = load float, float* %1866, align 4, !tbaa !5
  %1868 = mul i32 %1, 11
  %1869 = add i32 %1795, %1868
  %1870 = zext i32 %1869 to i64
  %1871 = getelementptr inbounds float, float* %14, i64 %1870
  store float %1867, float* %1871, align 4, !tbaa !5
  %1872 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 12, i64 %1670
  %1873 = addrspacecast float addrspace(3)* %1872 to float*
  %1874 = load float, float* %1873, align 4, !tbaa !5
  %1875 = mul i32 %1, 12
  %1876 = add i32 %1795, %1875
  %1877 = zext i32 %1876 to i64
  %1878 = getelementptr inbounds float, float* %14, i64 %1877
  store float %1874, float* %1878, align 4, !tbaa !5
  %1879 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 13, i64 %1670
  %1880 = addrspacecast float addrspace(3)* %1879 to float*
  %1881 = load float, float* %1880, align 4, !tbaa !5
  %1882 = mul i32 %1, 13
  %1883 = add i32 %1795, %1882
  %1884 = zext i32 %1883 to i64
  %1885 = getelementptr inbounds float, float* %14, i64 %1884
  store float %1881, float* %1885, align 4, !tbaa !5
  %1886 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ12lu_perimeterE4rows, i64 0, i64 14, i64 %1670
  %1887 = addrspacecast float addrspace(3)* %1886 to float*
  %1888 = load float, float* %1887, align 4, !tbaa !5
  %1889 = mul i32 %1, 14
  %1890 = add i32 %1795, %1889
  %1891 = zext i32 %1890 to i64
  %1892 = getelementptr inbounds float, float* %14, i64 %1891
  store float %1888, float* %1892, align 4, !tbaa !5
  %1893 = mul i32 %1, 15
  %1894 = add i32 %1795, %1893
  br label %1895

1895:                                             ; preds = %1671, %1794
  %1896 = phi i32 [ %1793, %1671 ], [ %1894, %1794 ]
  %1897 = phi [16 x [16 x float]] addrspace(3)* [ @_ZZ12lu_perimeterE7columns, %1671 ], [ @_ZZ12lu_perimeterE4rows, %1794 ]
  %1898 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* %1897, i64 0, i64 15, i64 %1670
  %1899 = addrspacecast float addrspace(3)* %1898 to float*
  %1900 = load float, float* %1899, align 4, !tbaa !5
  %1901 = zext i32 %1896 to i64
  %1902 = getelementptr inbounds float, float* %14, i64 %1901
  store float %1900, float* %1902, align 4, !tbaa !5
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
