; SPDX-License-Identifier: BSL-1.0
; Compiled from aes.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "aes.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ3aesE5table = internal unnamed_addr addrspace(3) global [256 x i32] undef, align 4

define dso_local void @aes(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  br label %6

6:                                                ; preds = %4, %75
  %7 = phi i32 [ %5, %4 ], [ %54, %75 ]
  %8 = phi i32 [ 1, %4 ], [ %68, %75 ]
  %9 = phi i32 [ 0, %4 ], [ %76, %75 ]
  br label %47

10:                                               ; preds = %75
  %11 = shl i32 %68, 8
  %12 = or i32 %11, %68
  %13 = lshr i32 %12, 4
  %14 = xor i32 %13, %12
  %15 = lshr i32 %12, 5
  %16 = xor i32 %14, %15
  %17 = lshr i32 %12, 6
  %18 = xor i32 %16, %17
  %19 = lshr i32 %12, 7
  %20 = xor i32 %18, %19
  %21 = and i32 %20, 255
  %22 = xor i32 %21, 99
  %23 = shl nuw nsw i32 %22, 1
  %24 = lshr i32 %21, 7
  %25 = mul nuw nsw i32 %24, 283
  %26 = xor i32 %25, %23
  %27 = shl i32 %26, 24
  %28 = shl nuw nsw i32 %22, 16
  %29 = or i32 %27, %28
  %30 = shl nuw nsw i32 %22, 8
  %31 = or i32 %29, %30
  %32 = xor i32 %26, %22
  %33 = or i32 %31, %32
  %34 = zext i32 %5 to i64
  %35 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %34
  %36 = addrspacecast i32 addrspace(3)* %35 to i32*
  store i32 %33, i32* %36, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %37 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %38 = shl i32 %37, 8
  %39 = add i32 %38, %5
  %40 = icmp ult i32 %39, %3
  br i1 %40, label %41, label %78

41:                                               ; preds = %10
  %42 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #4
  %43 = shl i32 %42, 8
  %44 = getelementptr inbounds i32, i32* %0, i64 1
  %45 = getelementptr inbounds i32, i32* %0, i64 2
  %46 = getelementptr inbounds i32, i32* %0, i64 3
  br label %79

47:                                               ; preds = %6, %47
  %48 = phi i32 [ %59, %47 ], [ 0, %6 ]
  %49 = phi i32 [ %54, %47 ], [ 0, %6 ]
  %50 = phi i32 [ %58, %47 ], [ %7, %6 ]
  %51 = lshr i32 %7, %48
  %52 = and i32 %51, 1
  %53 = mul nuw nsw i32 %52, %50
  %54 = xor i32 %53, %49
  %55 = shl i32 %50, 1
  %56 = lshr i32 %50, 7
  %57 = mul i32 %56, 283
  %58 = xor i32 %57, %55
  %59 = add nuw nsw i32 %48, 1
  %60 = icmp eq i32 %59, 8
  br i1 %60, label %61, label %47, !llvm.loop !9

61:                                               ; preds = %47, %61
  %62 = phi i32 [ %73, %61 ], [ 0, %47 ]
  %63 = phi i32 [ %68, %61 ], [ 0, %47 ]
  %64 = phi i32 [ %72, %61 ], [ %8, %47 ]
  %65 = lshr i32 %54, %62
  %66 = and i32 %65, 1
  %67 = mul nuw nsw i32 %66, %64
  %68 = xor i32 %67, %63
  %69 = shl i32 %64, 1
  %70 = lshr i32 %64, 7
  %71 = mul i32 %70, 283
  %72 = xor i32 %71, %69
  %73 = add nuw nsw i32 %62, 1
  %74 = icmp eq i32 %73, 8
  br i1 %74, label %75, label %61, !llvm.loop !9

75:                                               ; preds = %61
  %76 = add nuw nsw i32 %9, 1
  %77 = icmp eq i32 %76, 7
  br i1 %77, label %10, label %6, !llvm.loop !12

78:                                               ; preds = %105, %10
  ret void

79:                                               ; preds = %41, %105
  %80 = phi i32 [ %39, %41 ], [ %110, %105 ]
  %81 = shl i32 %80, 2
  %82 = load i32, i32* %0, align 4, !tbaa !5
  %83 = zext i32 %81 to i64
  %84 = getelementptr inbounds i32, i32* %1, i64 %83
  %85 = load i32, i32* %84, align 4, !tbaa !5
  %86 = xor i32 %85, %82
  %87 = load i32, i32* %44, align 4, !tbaa !5
  %88 = or i32 %81, 1
  %89 = zext i32 %88 to i64
  %90 = getelementptr inbounds i32, i32* %1, i64 %89
  %91 = load i32, i32* %90, align 4, !tbaa !5
  %92 = xor i32 %91, %87
  %93 = load i32, i32* %45, align 4, !tbaa !5
  %94 = or i32 %81, 2
  %95 = zext i32 %94 to i64
  %96 = getelementptr inbounds i32, i32* %1, i64 %95
  %97 = load i32, i32* %96, align 4, !tbaa !5
  %98 = xor i32 %97, %93
  %99 = load i32, i32* %46, align 4, !tbaa !5
  %100 = or i32 %81, 3
  %101 = zext i32 %100 to i64
  %102 = getelementptr inbounds i32, i32* %1, i64 %101
  %103 = load i32, i32* %102, align 4, !tbaa !5
  %104 = xor i32 %103, %99
  br label %112

105:                                              ; preds = %403
  %106 = getelementptr inbounds i32, i32* %2, i64 %83
  store i32 %408, i32* %106, align 4, !tbaa !5
  %107 = getelementptr inbounds i32, i32* %2, i64 %89
  store i32 %409, i32* %107, align 4, !tbaa !5
  %108 = getelementptr inbounds i32, i32* %2, i64 %95
  store i32 %410, i32* %108, align 4, !tbaa !5
  %109 = getelementptr inbounds i32, i32* %2, i64 %101
  store i32 %411, i32* %109, align 4, !tbaa !5
  %110 = add i32 %80, %43
  %111 = icmp ult i32 %110, %3
  br i1 %111, label %79, label %78, !llvm.loop !13

112:                                              ; preds = %79, %403
  %113 = phi i32 [ %99, %79 ], [ %160, %403 ]
  %114 = phi i32 [ %93, %79 ], [ %159, %403 ]
  %115 = phi i32 [ %87, %79 ], [ %158, %403 ]
  %116 = phi i32 [ %82, %79 ], [ %157, %403 ]
  %117 = phi i32 [ %104, %79 ], [ %411, %403 ]
  %118 = phi i32 [ %98, %79 ], [ %410, %403 ]
  %119 = phi i32 [ %92, %79 ], [ %409, %403 ]
  %120 = phi i32 [ %86, %79 ], [ %408, %403 ]
  %121 = phi i32 [ 1, %79 ], [ %412, %403 ]
  %122 = phi i32 [ 1, %79 ], [ %164, %403 ]
  %123 = lshr i32 %113, 16
  %124 = and i32 %123, 255
  %125 = zext i32 %124 to i64
  %126 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %125
  %127 = addrspacecast i32 addrspace(3)* %126 to i32*
  %128 = load i32, i32* %127, align 4, !tbaa !5
  %129 = shl i32 %128, 16
  %130 = and i32 %129, -16777216
  %131 = lshr i32 %113, 8
  %132 = and i32 %131, 255
  %133 = zext i32 %132 to i64
  %134 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %133
  %135 = addrspacecast i32 addrspace(3)* %134 to i32*
  %136 = load i32, i32* %135, align 4, !tbaa !5
  %137 = shl i32 %136, 8
  %138 = and i32 %137, 16711680
  %139 = or i32 %138, %130
  %140 = and i32 %113, 255
  %141 = zext i32 %140 to i64
  %142 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %141
  %143 = addrspacecast i32 addrspace(3)* %142 to i32*
  %144 = load i32, i32* %143, align 4, !tbaa !5
  %145 = and i32 %144, 65280
  %146 = or i32 %139, %145
  %147 = lshr i32 %113, 24
  %148 = zext i32 %147 to i64
  %149 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %148
  %150 = addrspacecast i32 addrspace(3)* %149 to i32*
  %151 = load i32, i32* %150, align 4, !tbaa !5
  %152 = lshr i32 %151, 8
  %153 = and i32 %152, 255
  %154 = or i32 %146, %153
  %155 = shl i32 %122, 24
  %156 = xor i32 %116, %155
  %157 = xor i32 %156, %154
  %158 = xor i32 %157, %115
  %159 = xor i32 %158, %114
  %160 = xor i32 %159, %113
  %161 = shl i32 %122, 1
  %162 = lshr i32 %122, 7
  %163 = mul i32 %162, 283
  %164 = xor i32 %163, %161
  %165 = icmp eq i32 %121, 10
  %166 = lshr i32 %120, 24
  %167 = zext i32 %166 to i64
  %168 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %167
  %169 = addrspacecast i32 addrspace(3)* %168 to i32*
  %170 = load i32, i32* %169, align 4, !tbaa !5
  br i1 %165, label %279, label %171

171:                                              ; preds = %112
  %172 = lshr i32 %119, 16
  %173 = and i32 %172, 255
  %174 = zext i32 %173 to i64
  %175 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %174
  %176 = addrspacecast i32 addrspace(3)* %175 to i32*
  %177 = load i32, i32* %176, align 4, !tbaa !5
  %178 = tail call i32 @llvm.fshl.i32(i32 %177, i32 %177, i32 24)
  %179 = xor i32 %178, %170
  %180 = lshr i32 %118, 8
  %181 = and i32 %180, 255
  %182 = zext i32 %181 to i64
  %183 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %182
  %184 = addrspacecast i32 addrspace(3)* %183 to i32*
  %185 = load i32, i32* %184, align 4, !tbaa !5
  %186 = tail call i32 @llvm.fshl.i32(i32 %185, i32 %185, i32 16)
  %187 = xor i32 %179, %186
  %188 = and i32 %117, 255
  %189 = zext i32 %188 to i64
  %190 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %189
  %191 = addrspacecast i32 addrspace(3)* %190 to i32*
  %192 = load i32, i32* %191, align 4, !tbaa !5
  %193 = tail call i32 @llvm.fshl.i32(i32 %192, i32 %192, i32 8)
  %194 = xor i32 %187, %193
  %195 = lshr i32 %119, 24
  %196 = zext i32 %195 to i64
  %197 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %196
  %198 = addrspacecast i32 addrspace(3)* %197 to i32*
  %199 = load i32, i32* %198, align 4, !tbaa !5
  %200 = lshr i32 %118, 16
  %201 = and i32 %200, 255
  %202 = zext i32 %201 to i64
  %203 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %202
  %204 = addrspacecast i32 addrspace(3)* %203 to i32*
  %205 = load i32, i32* %204, align 4, !tbaa !5
  %206 = tail call i32 @llvm.fshl.i32(i32 %205, i32 %205, i32 24)
  %207 = xor i32 %206, %199
  %208 = lshr i32 %117, 8
  %209 = and i32 %208, 255
  %210 = zext i32 %209 to i64
  %211 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %210
  %212 = addrspacecast i32 addrspace(3)* %211 to i32*
  %213 = load i32, i32* %212, align 4, !tbaa !5
  %214 = tail call i32 @llvm.fshl.i32(i32 %213, i32 %213, i32 16)
  %215 = xor i32 %207, %214
  %216 = and i32 %120, 255
  %217 = zext i32 %216 to i64
  %218 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %217
  %219 = addrspacecast i32 addrspace(3)* %218 to i32*
  %220 = load i32, i32* %219, align 4, !tbaa !5
  %221 = tail call i32 @llvm.fshl.i32(i32 %220, i32 %220, i32 8)
  %222 = xor i32 %215, %221
  %223 = lshr i32 %118, 24
  %224 = zext i32 %223 to i64
  %225 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %224
  %226 = addrspacecast i32 addrspace(3)* %225 to i32*
  %227 = load i32, i32* %226, align 4, !tbaa !5
  %228 = lshr i32 %117, 16
  %229 = and i32 %228, 255
  %230 = zext i32 %229 to i64
  %231 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %230
  %232 = addrspacecast i32 addrspace(3)* %231 to i32*
  %233 = load i32, i32* %232, align 4, !tbaa !5
  %234 = tail call i32 @llvm.fshl.i32(i32 %233, i32 %233, i32 24)
  %235 = xor i32 %234, %227
  %236 = lshr i32 %120, 8
  %237 = and i32 %236, 255
  %238 = zext i32 %237 to i64
  %239 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %238
  %240 = addrspacecast i32 addrspace(3)* %239 to i32*
  %241 = load i32, i32* %240, align 4, !tbaa !5
  %242 = tail call i32 @llvm.fshl.i32(i32 %241, i32 %241, i32 16)
  %243 = xor i32 %235, %242
  %244 = and i32 %119, 255
  %245 = zext i32 %244 to i64
  %246 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %245
  %247 = addrspacecast i32 addrspace(3)* %246 to i32*
  %248 = load i32, i32* %247, align 4, !tbaa !5
  %249 = tail call i32 @llvm.fshl.i32(i32 %248, i32 %248, i32 8)
  %250 = xor i32 %243, %249
  %251 = lshr i32 %117, 24
  %252 = zext i32 %251 to i64
  %253 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %252
  %254 = addrspacecast i32 addrspace(3)* %253 to i32*
  %255 = load i32, i32* %254, align 4, !tbaa !5
  %256 = lshr i32 %120, 16
  %257 = and i32 %256, 255
  %258 = zext i32 %257 to i64
  %259 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %258
  %260 = addrspacecast i32 addrspace(3)* %259 to i32*
  %261 = load i32, i32* %260, align 4, !tbaa !5
  %262 = tail call i32 @llvm.fshl.i32(i32 %261, i32 %261, i32 24)
  %263 = xor i32 %262, %255
  %264 = lshr i32 %119, 8
  %265 = and i32 %264, 255
  %266 = zext i32 %265 to i64
  %267 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %266
  %268 = addrspacecast i32 addrspace(3)* %267 to i32*
  %269 = load i32, i32* %268, align 4, !tbaa !5
  %270 = tail call i32 @llvm.fshl.i32(i32 %269, i32 %269, i32 16)
  %271 = xor i32 %263, %270
  %272 = and i32 %118, 255
  %273 = zext i32 %272 to i64
  %274 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %273
  %275 = addrspacecast i32 addrspace(3)* %274 to i32*
  %276 = load i32, i32* %275, align 4, !tbaa !5
  %277 = tail call i32 @llvm.fshl.i32(i32 %276, i32 %276, i32 8)
  %278 = xor i32 %271, %277
  br label %403

279:                                              ; preds = %112
  %280 = shl i32 %170, 16
  %281 = and i32 %280, -16777216
  %282 = lshr i32 %119, 16
  %283 = and i32 %282, 255
  %284 = zext i32 %283 to i64
  %285 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %284
  %286 = addrspacecast i32 addrspace(3)* %285 to i32*
  %287 = load i32, i32* %286, align 4, !tbaa !5
  %288 = shl i32 %287, 8
  %289 = and i32 %288, 16711680
  %290 = or i32 %289, %281
  %291 = lshr i32 %118, 8
  %292 = and i32 %291, 255
  %293 = zext i32 %292 to i64
  %294 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %293
  %295 = addrspacecast i32 addrspace(3)* %294 to i32*
  %296 = load i32, i32* %295, align 4, !tbaa !5
  %297 = and i32 %296, 65280
  %298 = or i32 %290, %297
  %299 = and i32 %117, 255
  %300 = zext i32 %299 to i64
  %301 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %300
  %302 = addrspacecast i32 addrspace(3)* %301 to i32*
  %303 = load i32, i32* %302, align 4, !tbaa !5
  %304 = lshr i32 %303, 8
  %305 = and i32 %304, 255
  %306 = or i32 %298, %305
  %307 = lshr i32 %119, 24
  %308 = zext i32 %307 to i64
  %309 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %308
  %310 = addrspacecast i32 addrspace(3)* %309 to i32*
  %311 = load i32, i32* %310, align 4, !tbaa !5
  %312 = shl i32 %311, 16
  %313 = and i32 %312, -16777216
  %314 = lshr i32 %118, 16
  %315 = and i32 %314, 255
  %316 = zext i32 %315 to i64
  %317 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %316
  %318 = addrspacecast i32 addrspace(3)* %317 to i32*
  %319 = load i32, i32* %318, align 4, !tbaa !5
  %320 = shl i32 %319, 8
  %321 = and i32 %320, 16711680
  %322 = or i32 %321, %313
  %323 = lshr i32 %117, 8
  %324 = and i32 %323, 255
  %325 = zext i32 %324 to i64
  %326 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %325
  %327 = addrspacecast i32 addrspace(3)* %326 to i32*
  %328 = load i32, i32* %327, align 4, !tbaa !5
  %329 = and i32 %328, 65280
  %330 = or i32 %322, %329
  %331 = and i32 %120, 255
  %332 = zext i32 %331 to i64
  %333 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %332
  %334 = addrspacecast i32 addrspace(3)* %333 to i32*
  %335 = load i32, i32* %334, align 4, !tbaa !5
  %336 = lshr i32 %335, 8
  %337 = and i32 %336, 255
  %338 = or i32 %330, %337
  %339 = lshr i32 %118, 24
  %340 = zext i32 %339 to i64
  %341 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %340
  %342 = addrspacecast i32 addrspace(3)* %341 to i32*
  %343 = load i32, i32* %342, align 4, !tbaa !5
  %344 = shl i32 %343, 16
  %345 = and i32 %344, -16777216
  %346 = lshr i32 %117, 16
  %347 = and i32 %346, 255
  %348 = zext i32 %347 to i64
  %349 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %348
  %350 = addrspacecast i32 addrspace(3)* %349 to i32*
  %351 = load i32, i32* %350, align 4, !tbaa !5
  %352 = shl i32 %351, 8
  %353 = and i32 %352, 16711680
  %354 = or i32 %353, %345
  %355 = lshr i32 %120, 8
  %356 = and i32 %355, 255
  %357 = zext i32 %356 to i64
  %358 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %357
  %359 = addrspacecast i32 addrspace(3)* %358 to i32*
  %360 = load i32, i32* %359, align 4, !tbaa !5
  %361 = and i32 %360, 65280
  %362 = or i32 %354, %361
  %363 = and i32 %119, 255
  %364 = zext i32 %363 to i64
  %365 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %364
  %366 = addrspacecast i32 addrspace(3)* %365 to i32*
  %367 = load i32, i32* %366, align 4, !tbaa !5
  %368 = lshr i32 %367, 8
  %369 = and i32 %368, 255
  %370 = or i32 %362, %369
  %371 = lshr i32 %117, 24
  %372 = zext i32 %371 to i64
  %373 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %372
  %374 = addrspacecast i32 addrspace(3)* %373 to i32*
  %375 = load i32, i32* %374, align 4, !tbaa !5
  %376 = shl i32 %375, 16
  %377 = and i32 %376, -16777216
  %378 = lshr i32 %120, 16
  %379 = and i32 %378, 255
  %380 = zext i32 %379 to i64
  %381 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %380
  %382 = addrspacecast i32 addrspace(3)* %381 to i32*
  %383 = load i32, i32* %382, align 4, !tbaa !5
  %384 = shl i32 %383, 8
  %385 = and i32 %384, 16711680
  %386 = or i32 %385, %377
  %387 = lshr i32 %119, 8
  %388 = and i32 %387, 255
  %389 = zext i32 %388 to i64
  %390 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %389
  %391 = addrspacecast i32 addrspace(3)* %390 to i32*
  %392 = load i32, i32* %391, align 4, !tbaa !5
  %393 = and i32 %392, 65280
  %394 = or i32 %386, %393
  %395 = and i32 %118, 255
  %396 = zext i32 %395 to i64
  %397 = getelementptr inbounds [256 x i32], [256 x i32] addrspace(3)* @_ZZ3aesE5table, i64 0, i64 %396
  %398 = addrspacecast i32 addrspace(3)* %397 to i32*
  %399 = load i32, i32* %398, align 4, !tbaa !5
  %400 = lshr i32 %399, 8
  %401 = and i32 %400, 255
  %402 = or i32 %394, %401
  br label %403

403:                                              ; preds = %171, %279
  %404 = phi i32 [ %402, %279 ], [ %278, %171 ]
  %405 = phi i32 [ %370, %279 ], [ %250, %171 ]
  %406 = phi i32 [ %338, %279 ], [ %222, %171 ]
  %407 = phi i32 [ %306, %279 ], [ %194, %171 ]
  %408 = xor i32 %157, %407
  %409 = xor i32 %158, %406
  %410 = xor i32 %159, %405
  %411 = xor i32 %160, %404
  %412 = add nuw nsw i32 %121, 1
  %413 = icmp eq i32 %412, 11
  br i1 %413, label %105, label %112, !llvm.loop !14
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

declare i32 @llvm.fshl.i32(i32, i32, i32) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32)* @aes, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
!14 = distinct !{!14, !10, !11}
