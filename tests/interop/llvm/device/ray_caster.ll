; SPDX-License-Identifier: BSL-1.0
; Compiled from ray_caster.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "ray_caster.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.sphere = type { [3 x float], float }
%struct.box = type { [3 x float], [3 x float] }

@_ZZ10ray_casterE3all = internal addrspace(3) global [32 x %struct.sphere] undef, align 4
@_ZZ10ray_casterE5boxes = internal addrspace(3) global [64 x %struct.box] undef, align 4

define dso_local void @ray_caster(float* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #5
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #5
  %6 = mul i32 %4, %5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #5
  %8 = add i32 %6, %7
  %9 = icmp ult i32 %8, 32
  br i1 %9, label %10, label %76

10:                                               ; preds = %3
  %11 = and i32 %8, 1
  %12 = lshr i32 %8, 2
  %13 = and i32 %12, 2
  %14 = or i32 %13, %11
  %15 = lshr i32 %8, 1
  %16 = and i32 %15, 1
  %17 = lshr i32 %8, 3
  %18 = and i32 %17, 2
  %19 = or i32 %16, %18
  %20 = and i32 %12, 1
  %21 = shl nuw nsw i32 %8, 2
  %22 = or i32 %21, 3
  %23 = zext i32 %22 to i64
  %24 = getelementptr inbounds float, float* %0, i64 %23
  %25 = load float, float* %24, align 4, !tbaa !5
  %26 = tail call float @llvm.fma.f32(float %25, float 6.400000e+01, float 4.800000e+01) #5
  %27 = zext i32 %8 to i64
  %28 = getelementptr inbounds [32 x %struct.sphere], [32 x %struct.sphere] addrspace(3)* @_ZZ10ray_casterE3all, i64 0, i64 %27
  %29 = addrspacecast %struct.sphere addrspace(3)* %28 to %struct.sphere*
  %30 = add nuw nsw i32 %8, 32
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %31
  %33 = addrspacecast %struct.box addrspace(3)* %32 to %struct.box*
  %34 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %14) #5
  %35 = zext i32 %21 to i64
  %36 = getelementptr inbounds float, float* %0, i64 %35
  %37 = load float, float* %36, align 4, !tbaa !5
  %38 = fadd float %34, %37
  %39 = fmul float %38, 2.560000e+02
  %40 = getelementptr inbounds %struct.sphere, %struct.sphere* %29, i64 0, i32 0, i64 0
  store volatile float %39, float* %40, align 4, !tbaa !5
  %41 = fsub float %39, %26
  %42 = fadd float %41, -1.000000e+00
  %43 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 0, i64 0
  store volatile float %42, float* %43, align 4, !tbaa !5
  %44 = fadd float %26, %39
  %45 = fadd float %44, 1.000000e+00
  %46 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 1, i64 0
  store volatile float %45, float* %46, align 4, !tbaa !5
  %47 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %19) #5
  %48 = or i32 %21, 1
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds float, float* %0, i64 %49
  %51 = load float, float* %50, align 4, !tbaa !5
  %52 = fadd float %47, %51
  %53 = fmul float %52, 2.560000e+02
  %54 = getelementptr inbounds %struct.sphere, %struct.sphere* %29, i64 0, i32 0, i64 1
  store volatile float %53, float* %54, align 4, !tbaa !5
  %55 = fsub float %53, %26
  %56 = fadd float %55, -1.000000e+00
  %57 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 0, i64 1
  store volatile float %56, float* %57, align 4, !tbaa !5
  %58 = fadd float %26, %53
  %59 = fadd float %58, 1.000000e+00
  %60 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 1, i64 1
  store volatile float %59, float* %60, align 4, !tbaa !5
  %61 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %20) #5
  %62 = or i32 %21, 2
  %63 = zext i32 %62 to i64
  %64 = getelementptr inbounds float, float* %0, i64 %63
  %65 = load float, float* %64, align 4, !tbaa !5
  %66 = fadd float %61, %65
  %67 = fmul float %66, 2.560000e+02
  %68 = getelementptr inbounds %struct.sphere, %struct.sphere* %29, i64 0, i32 0, i64 2
  store volatile float %67, float* %68, align 4, !tbaa !5
  %69 = fsub float %67, %26
  %70 = fadd float %69, -1.000000e+00
  %71 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 0, i64 2
  store volatile float %70, float* %71, align 4, !tbaa !5
  %72 = fadd float %26, %67
  %73 = fadd float %72, 1.000000e+00
  %74 = getelementptr inbounds %struct.box, %struct.box* %33, i64 0, i32 1, i64 2
  store volatile float %73, float* %74, align 4, !tbaa !5
  %75 = getelementptr inbounds %struct.sphere, %struct.sphere* %29, i64 0, i32 1
  store volatile float %26, float* %75, align 4, !tbaa !9
  br label %76

76:                                               ; preds = %10, %3
  tail call void @llvm.nvvm.barrier0()
  br label %93

77:                                               ; preds = %145
  %78 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #5
  %79 = mul i32 %78, %5
  %80 = add i32 %79, %7
  %81 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #5
  %82 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #5
  %83 = mul i32 %81, %82
  %84 = add i32 %83, %4
  %85 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %2) #5
  %86 = fmul float %85, 5.000000e-01
  %87 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %80) #5
  %88 = fsub float %87, %86
  %89 = fadd float %88, 3.750000e-01
  %90 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %84) #5
  %91 = fsub float %90, %86
  %92 = fadd float %91, 3.750000e-01
  br label %148

93:                                               ; preds = %76, %145
  %94 = phi i32 [ 16, %76 ], [ %146, %145 ]
  %95 = icmp ult i32 %8, %94
  br i1 %95, label %96, label %145

96:                                               ; preds = %93
  %97 = add i32 %94, %8
  %98 = shl i32 %97, 1
  %99 = zext i32 %98 to i64
  %100 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %99
  %101 = addrspacecast %struct.box addrspace(3)* %100 to %struct.box*
  %102 = or i32 %98, 1
  %103 = zext i32 %102 to i64
  %104 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %103
  %105 = addrspacecast %struct.box addrspace(3)* %104 to %struct.box*
  %106 = zext i32 %97 to i64
  %107 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %106
  %108 = addrspacecast %struct.box addrspace(3)* %107 to %struct.box*
  %109 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 0, i64 0
  %110 = load volatile float, float* %109, align 4, !tbaa !5
  %111 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 0, i64 0
  %112 = load volatile float, float* %111, align 4, !tbaa !5
  %113 = tail call float @llvm.minnum.f32(float %110, float %112) #5
  %114 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 0, i64 0
  store volatile float %113, float* %114, align 4, !tbaa !5
  %115 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 1, i64 0
  %116 = load volatile float, float* %115, align 4, !tbaa !5
  %117 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 1, i64 0
  %118 = load volatile float, float* %117, align 4, !tbaa !5
  %119 = tail call float @llvm.maxnum.f32(float %116, float %118) #5
  %120 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 1, i64 0
  store volatile float %119, float* %120, align 4, !tbaa !5
  %121 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 0, i64 1
  %122 = load volatile float, float* %121, align 4, !tbaa !5
  %123 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 0, i64 1
  %124 = load volatile float, float* %123, align 4, !tbaa !5
  %125 = tail call float @llvm.minnum.f32(float %122, float %124) #5
  %126 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 0, i64 1
  store volatile float %125, float* %126, align 4, !tbaa !5
  %127 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 1, i64 1
  %128 = load volatile float, float* %127, align 4, !tbaa !5
  %129 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 1, i64 1
  %130 = load volatile float, float* %129, align 4, !tbaa !5
  %131 = tail call float @llvm.maxnum.f32(float %128, float %130) #5
  %132 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 1, i64 1
  store volatile float %131, float* %132, align 4, !tbaa !5
  %133 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 0, i64 2
  %134 = load volatile float, float* %133, align 4, !tbaa !5
  %135 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 0, i64 2
  %136 = load volatile float, float* %135, align 4, !tbaa !5
  %137 = tail call float @llvm.minnum.f32(float %134, float %136) #5
  %138 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 0, i64 2
  store volatile float %137, float* %138, align 4, !tbaa !5
  %139 = getelementptr inbounds %struct.box, %struct.box* %101, i64 0, i32 1, i64 2
  %140 = load volatile float, float* %139, align 4, !tbaa !5
  %141 = getelementptr inbounds %struct.box, %struct.box* %105, i64 0, i32 1, i64 2
  %142 = load volatile float, float* %141, align 4, !tbaa !5
  %143 = tail call float @llvm.maxnum.f32(float %140, float %142) #5
  %144 = getelementptr inbounds %struct.box, %struct.box* %108, i64 0, i32 1, i64 2
  store volatile float %143, float* %144, align 4, !tbaa !5
  br label %145

145:                                              ; preds = %96, %93
  tail call void @llvm.nvvm.barrier0()
  %146 = lshr i32 %94, 1
  %147 = icmp ult i32 %94, 2
  br i1 %147, label %77, label %93, !llvm.loop !11

148:                                              ; preds = %77, %676
  %149 = phi i32 [ 32, %77 ], [ %671, %676 ]
  %150 = phi i1 [ true, %77 ], [ false, %676 ]
  %151 = phi float [ %85, %77 ], [ -7.500000e-01, %676 ]
  %152 = phi float [ %92, %77 ], [ -1.000000e+00, %676 ]
  %153 = phi float [ %89, %77 ], [ 5.000000e-01, %676 ]
  %154 = phi float [ -7.000000e+02, %77 ], [ %682, %676 ]
  %155 = phi float [ 5.120000e+02, %77 ], [ %681, %676 ]
  %156 = phi float [ 5.120000e+02, %77 ], [ %680, %676 ]
  %157 = phi i32 [ 0, %77 ], [ %685, %676 ]
  %158 = phi i32 [ 0, %77 ], [ %684, %676 ]
  %159 = fdiv float 1.000000e+00, %153
  %160 = fdiv float 1.000000e+00, %152
  %161 = fdiv float 1.000000e+00, %151
  %162 = fcmp contract oge float %153, 0.000000e+00
  %163 = select i1 %162, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 0), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 0)
  %164 = load volatile float, float* %163, align 4, !tbaa !5
  %165 = fsub float %164, %156
  %166 = fmul float %165, %159
  %167 = fcmp contract ogt float %166, 0x46293E5940000000
  br i1 %167, label %216, label %207

168:                                              ; preds = %216
  %169 = fcmp contract oge float %152, 0.000000e+00
  %170 = select i1 %169, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 1), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 1)
  %171 = load volatile float, float* %170, align 4, !tbaa !5
  %172 = fsub float %171, %155
  %173 = fmul float %172, %160
  %174 = fcmp contract ogt float %173, %218
  br i1 %174, label %184, label %175

175:                                              ; preds = %168
  %176 = call float @llvm.maxnum.f32(float %219, float %173) #5
  %177 = select i1 %169, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 1), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 1)
  %178 = load volatile float, float* %177, align 4, !tbaa !5
  %179 = fsub float %178, %155
  %180 = fmul float %160, %179
  %181 = fcmp contract olt float %180, %176
  br i1 %181, label %184, label %182

182:                                              ; preds = %175
  %183 = call float @llvm.minnum.f32(float %218, float %180) #5
  br label %184

184:                                              ; preds = %182, %175, %168
  %185 = phi i1 [ true, %182 ], [ false, %175 ], [ false, %168 ]
  %186 = phi float [ %183, %182 ], [ %218, %175 ], [ %218, %168 ]
  %187 = phi float [ %176, %182 ], [ %176, %175 ], [ %219, %168 ]
  br i1 %185, label %188, label %669

188:                                              ; preds = %184
  %189 = fcmp contract oge float %151, 0.000000e+00
  %190 = select i1 %189, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 2), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 2)
  %191 = load volatile float, float* %190, align 4, !tbaa !5
  %192 = fsub float %191, %154
  %193 = fmul float %192, %161
  %194 = fcmp contract ogt float %193, %186
  br i1 %194, label %669, label %195

195:                                              ; preds = %188
  %196 = call float @llvm.maxnum.f32(float %187, float %193) #5
  %197 = select i1 %189, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 2), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 2)
  %198 = load volatile float, float* %197, align 4, !tbaa !5
  %199 = fsub float %198, %154
  %200 = fmul float %161, %199
  %201 = fcmp contract olt float %200, %196
  br i1 %201, label %669, label %202

202:                                              ; preds = %195
  %203 = fmul float %151, %151
  %204 = call float @llvm.fma.f32(float %152, float %152, float %203) #5
  %205 = call float @llvm.fma.f32(float %153, float %153, float %204) #5
  %206 = fneg contract float %205
  br label %220

207:                                              ; preds = %148
  %208 = call float @llvm.maxnum.f32(float %166, float 0.000000e+00) #5
  %209 = select i1 %162, float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 1, i64 0), float* getelementptr inbounds ([64 x %struct.box], [64 x %struct.box]* addrspacecast ([64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes to [64 x %struct.box]*), i64 0, i64 1, i32 0, i64 0)
  %210 = load volatile float, float* %209, align 4, !tbaa !5
  %211 = fsub float %210, %156
  %212 = fmul float %159, %211
  %213 = fcmp contract olt float %212, %208
  br i1 %213, label %216, label %214

214:                                              ; preds = %207
  %215 = call float @llvm.minnum.f32(float %212, float 0x46293E5940000000) #5
  br label %216

216:                                              ; preds = %214, %207, %148
  %217 = phi i1 [ true, %214 ], [ false, %207 ], [ false, %148 ]
  %218 = phi float [ %215, %214 ], [ 0x46293E5940000000, %207 ], [ 0x46293E5940000000, %148 ]
  %219 = phi float [ %208, %214 ], [ %208, %207 ], [ 0.000000e+00, %148 ]
  br i1 %217, label %168, label %669

220:                                              ; preds = %657, %202
  %221 = phi float [ 0x46293E5940000000, %202 ], [ %658, %657 ]
  %222 = phi i32 [ %149, %202 ], [ %659, %657 ]
  %223 = phi i32 [ %149, %202 ], [ %660, %657 ]
  %224 = phi float [ 0x46293E5940000000, %202 ], [ %661, %657 ]
  %225 = phi i1 [ true, %202 ], [ %663, %657 ]
  %226 = phi i32 [ 0, %202 ], [ %662, %657 ]
  %227 = add nuw nsw i32 %226, 2
  %228 = zext i32 %227 to i64
  %229 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 0, i64 0
  %230 = addrspacecast float addrspace(3)* %229 to float*
  %231 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 1, i64 0
  %232 = addrspacecast float addrspace(3)* %231 to float*
  %233 = select i1 %162, float* %230, float* %232
  %234 = load volatile float, float* %233, align 4, !tbaa !5
  %235 = fsub float %234, %156
  %236 = fmul float %159, %235
  %237 = fcmp contract ogt float %236, %224
  br i1 %237, label %289, label %280

238:                                              ; preds = %289
  %239 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 0, i64 1
  %240 = addrspacecast float addrspace(3)* %239 to float*
  %241 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 1, i64 1
  %242 = addrspacecast float addrspace(3)* %241 to float*
  %243 = select i1 %169, float* %240, float* %242
  %244 = load volatile float, float* %243, align 4, !tbaa !5
  %245 = fsub float %244, %155
  %246 = fmul float %160, %245
  %247 = fcmp contract ogt float %246, %291
  br i1 %247, label %257, label %248

248:                                              ; preds = %238
  %249 = call float @llvm.maxnum.f32(float %292, float %246) #5
  %250 = select i1 %169, float* %242, float* %240
  %251 = load volatile float, float* %250, align 4, !tbaa !5
  %252 = fsub float %251, %155
  %253 = fmul float %160, %252
  %254 = fcmp contract olt float %253, %249
  br i1 %254, label %257, label %255

255:                                              ; preds = %248
  %256 = call float @llvm.minnum.f32(float %291, float %253) #5
  br label %257

257:                                              ; preds = %255, %248, %238
  %258 = phi i1 [ true, %255 ], [ false, %248 ], [ false, %238 ]
  %259 = phi float [ %256, %255 ], [ %291, %248 ], [ %291, %238 ]
  %260 = phi float [ %249, %255 ], [ %249, %248 ], [ %292, %238 ]
  br i1 %258, label %261, label %657

261:                                              ; preds = %257
  %262 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 0, i64 2
  %263 = addrspacecast float addrspace(3)* %262 to float*
  %264 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %228, i32 1, i64 2
  %265 = addrspacecast float addrspace(3)* %264 to float*
  %266 = select i1 %189, float* %263, float* %265
  %267 = load volatile float, float* %266, align 4, !tbaa !5
  %268 = fsub float %267, %154
  %269 = fmul float %161, %268
  %270 = fcmp contract ogt float %269, %259
  br i1 %270, label %657, label %271

271:                                              ; preds = %261
  %272 = call float @llvm.maxnum.f32(float %260, float %269) #5
  %273 = select i1 %189, float* %265, float* %263
  %274 = load volatile float, float* %273, align 4, !tbaa !5
  %275 = fsub float %274, %154
  %276 = fmul float %161, %275
  %277 = fcmp contract olt float %276, %272
  br i1 %277, label %657, label %278

278:                                              ; preds = %271
  %279 = shl nuw i32 %227, 1
  br label %293

280:                                              ; preds = %220
  %281 = call float @llvm.maxnum.f32(float %236, float 0.000000e+00) #5
  %282 = select i1 %162, float* %232, float* %230
  %283 = load volatile float, float* %282, align 4, !tbaa !5
  %284 = fsub float %283, %156
  %285 = fmul float %159, %284
  %286 = fcmp contract olt float %285, %281
  br i1 %286, label %289, label %287

287:                                              ; preds = %280
  %288 = call float @llvm.minnum.f32(float %224, float %285) #5
  br label %289

289:                                              ; preds = %287, %280, %220
  %290 = phi i1 [ true, %287 ], [ false, %280 ], [ false, %220 ]
  %291 = phi float [ %288, %287 ], [ %224, %280 ], [ %224, %220 ]
  %292 = phi float [ %281, %287 ], [ %281, %280 ], [ 0.000000e+00, %220 ]
  br i1 %290, label %238, label %657

293:                                              ; preds = %641, %278
  %294 = phi float [ %221, %278 ], [ %642, %641 ]
  %295 = phi i32 [ %222, %278 ], [ %643, %641 ]
  %296 = phi i32 [ %223, %278 ], [ %644, %641 ]
  %297 = phi i32 [ %223, %278 ], [ %645, %641 ]
  %298 = phi float [ %224, %278 ], [ %646, %641 ]
  %299 = phi float [ %224, %278 ], [ %647, %641 ]
  %300 = phi i1 [ true, %278 ], [ %649, %641 ]
  %301 = phi i32 [ 0, %278 ], [ %648, %641 ]
  %302 = add nuw nsw i32 %301, %279
  %303 = zext i32 %302 to i64
  %304 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 0, i64 0
  %305 = addrspacecast float addrspace(3)* %304 to float*
  %306 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 1, i64 0
  %307 = addrspacecast float addrspace(3)* %306 to float*
  %308 = select i1 %162, float* %305, float* %307
  %309 = load volatile float, float* %308, align 4, !tbaa !5
  %310 = fsub float %309, %156
  %311 = fmul float %159, %310
  %312 = fcmp contract ogt float %311, %299
  br i1 %312, label %364, label %355

313:                                              ; preds = %364
  %314 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 0, i64 1
  %315 = addrspacecast float addrspace(3)* %314 to float*
  %316 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 1, i64 1
  %317 = addrspacecast float addrspace(3)* %316 to float*
  %318 = select i1 %169, float* %315, float* %317
  %319 = load volatile float, float* %318, align 4, !tbaa !5
  %320 = fsub float %319, %155
  %321 = fmul float %160, %320
  %322 = fcmp contract ogt float %321, %366
  br i1 %322, label %332, label %323

323:                                              ; preds = %313
  %324 = call float @llvm.maxnum.f32(float %367, float %321) #5
  %325 = select i1 %169, float* %317, float* %315
  %326 = load volatile float, float* %325, align 4, !tbaa !5
  %327 = fsub float %326, %155
  %328 = fmul float %160, %327
  %329 = fcmp contract olt float %328, %324
  br i1 %329, label %332, label %330

330:                                              ; preds = %323
  %331 = call float @llvm.minnum.f32(float %366, float %328) #5
  br label %332

332:                                              ; preds = %330, %323, %313
  %333 = phi i1 [ true, %330 ], [ false, %323 ], [ false, %313 ]
  %334 = phi float [ %331, %330 ], [ %366, %323 ], [ %366, %313 ]
  %335 = phi float [ %324, %330 ], [ %324, %323 ], [ %367, %313 ]
  br i1 %333, label %336, label %641

336:                                              ; preds = %332
  %337 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 0, i64 2
  %338 = addrspacecast float addrspace(3)* %337 to float*
  %339 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %303, i32 1, i64 2
  %340 = addrspacecast float addrspace(3)* %339 to float*
  %341 = select i1 %189, float* %338, float* %340
  %342 = load volatile float, float* %341, align 4, !tbaa !5
  %343 = fsub float %342, %154
  %344 = fmul float %161, %343
  %345 = fcmp contract ogt float %344, %334
  br i1 %345, label %641, label %346

346:                                              ; preds = %336
  %347 = call float @llvm.maxnum.f32(float %335, float %344) #5
  %348 = select i1 %189, float* %340, float* %338
  %349 = load volatile float, float* %348, align 4, !tbaa !5
  %350 = fsub float %349, %154
  %351 = fmul float %161, %350
  %352 = fcmp contract olt float %351, %347
  br i1 %352, label %641, label %353

353:                                              ; preds = %346
  %354 = shl i32 %302, 1
  br label %368

355:                                              ; preds = %293
  %356 = call float @llvm.maxnum.f32(float %311, float 0.000000e+00) #5
  %357 = select i1 %162, float* %307, float* %305
  %358 = load volatile float, float* %357, align 4, !tbaa !5
  %359 = fsub float %358, %156
  %360 = fmul float %159, %359
  %361 = fcmp contract olt float %360, %356
  br i1 %361, label %364, label %362

362:                                              ; preds = %355
  %363 = call float @llvm.minnum.f32(float %299, float %360) #5
  br label %364

364:                                              ; preds = %362, %355, %293
  %365 = phi i1 [ true, %362 ], [ false, %355 ], [ false, %293 ]
  %366 = phi float [ %363, %362 ], [ %299, %355 ], [ %299, %293 ]
  %367 = phi float [ %356, %362 ], [ %356, %355 ], [ 0.000000e+00, %293 ]
  br i1 %365, label %313, label %641

368:                                              ; preds = %621, %353
  %369 = phi float [ %294, %353 ], [ %622, %621 ]
  %370 = phi i32 [ %295, %353 ], [ %623, %621 ]
  %371 = phi i32 [ %296, %353 ], [ %624, %621 ]
  %372 = phi i32 [ %297, %353 ], [ %625, %621 ]
  %373 = phi i32 [ %297, %353 ], [ %626, %621 ]
  %374 = phi float [ %298, %353 ], [ %627, %621 ]
  %375 = phi float [ %299, %353 ], [ %628, %621 ]
  %376 = phi float [ %299, %353 ], [ %629, %621 ]
  %377 = phi i1 [ true, %353 ], [ %631, %621 ]
  %378 = phi i32 [ 0, %353 ], [ %630, %621 ]
  %379 = add nuw nsw i32 %378, %354
  %380 = zext i32 %379 to i64
  %381 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 0, i64 0
  %382 = addrspacecast float addrspace(3)* %381 to float*
  %383 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 1, i64 0
  %384 = addrspacecast float addrspace(3)* %383 to float*
  %385 = select i1 %162, float* %382, float* %384
  %386 = load volatile float, float* %385, align 4, !tbaa !5
  %387 = fsub float %386, %156
  %388 = fmul float %159, %387
  %389 = fcmp contract ogt float %388, %376
  br i1 %389, label %441, label %432

390:                                              ; preds = %441
  %391 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 0, i64 1
  %392 = addrspacecast float addrspace(3)* %391 to float*
  %393 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 1, i64 1
  %394 = addrspacecast float addrspace(3)* %393 to float*
  %395 = select i1 %169, float* %392, float* %394
  %396 = load volatile float, float* %395, align 4, !tbaa !5
  %397 = fsub float %396, %155
  %398 = fmul float %160, %397
  %399 = fcmp contract ogt float %398, %443
  br i1 %399, label %409, label %400

400:                                              ; preds = %390
  %401 = call float @llvm.maxnum.f32(float %444, float %398) #5
  %402 = select i1 %169, float* %394, float* %392
  %403 = load volatile float, float* %402, align 4, !tbaa !5
  %404 = fsub float %403, %155
  %405 = fmul float %160, %404
  %406 = fcmp contract olt float %405, %401
  br i1 %406, label %409, label %407

407:                                              ; preds = %400
  %408 = call float @llvm.minnum.f32(float %443, float %405) #5
  br label %409

409:                                              ; preds = %407, %400, %390
  %410 = phi i1 [ true, %407 ], [ false, %400 ], [ false, %390 ]
  %411 = phi float [ %408, %407 ], [ %443, %400 ], [ %443, %390 ]
  %412 = phi float [ %401, %407 ], [ %401, %400 ], [ %444, %390 ]
  br i1 %410, label %413, label %621

413:                                              ; preds = %409
  %414 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 0, i64 2
  %415 = addrspacecast float addrspace(3)* %414 to float*
  %416 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %380, i32 1, i64 2
  %417 = addrspacecast float addrspace(3)* %416 to float*
  %418 = select i1 %189, float* %415, float* %417
  %419 = load volatile float, float* %418, align 4, !tbaa !5
  %420 = fsub float %419, %154
  %421 = fmul float %161, %420
  %422 = fcmp contract ogt float %421, %411
  br i1 %422, label %621, label %423

423:                                              ; preds = %413
  %424 = call float @llvm.maxnum.f32(float %412, float %421) #5
  %425 = select i1 %189, float* %417, float* %415
  %426 = load volatile float, float* %425, align 4, !tbaa !5
  %427 = fsub float %426, %154
  %428 = fmul float %161, %427
  %429 = fcmp contract olt float %428, %424
  br i1 %429, label %621, label %430

430:                                              ; preds = %423
  %431 = shl i32 %379, 1
  br label %445

432:                                              ; preds = %368
  %433 = call float @llvm.maxnum.f32(float %388, float 0.000000e+00) #5
  %434 = select i1 %162, float* %384, float* %382
  %435 = load volatile float, float* %434, align 4, !tbaa !5
  %436 = fsub float %435, %156
  %437 = fmul float %159, %436
  %438 = fcmp contract olt float %437, %433
  br i1 %438, label %441, label %439

439:                                              ; preds = %432
  %440 = call float @llvm.minnum.f32(float %376, float %437) #5
  br label %441

441:                                              ; preds = %439, %432, %368
  %442 = phi i1 [ true, %439 ], [ false, %432 ], [ false, %368 ]
  %443 = phi float [ %440, %439 ], [ %376, %432 ], [ %376, %368 ]
  %444 = phi float [ %433, %439 ], [ %433, %432 ], [ 0.000000e+00, %368 ]
  br i1 %442, label %390, label %621

445:                                              ; preds = %597, %430
  %446 = phi float [ %369, %430 ], [ %598, %597 ]
  %447 = phi i32 [ %370, %430 ], [ %599, %597 ]
  %448 = phi i32 [ %371, %430 ], [ %600, %597 ]
  %449 = phi i32 [ %372, %430 ], [ %601, %597 ]
  %450 = phi i32 [ %373, %430 ], [ %602, %597 ]
  %451 = phi i32 [ %373, %430 ], [ %603, %597 ]
  %452 = phi float [ %374, %430 ], [ %604, %597 ]
  %453 = phi float [ %375, %430 ], [ %605, %597 ]
  %454 = phi float [ %376, %430 ], [ %606, %597 ]
  %455 = phi float [ %376, %430 ], [ %607, %597 ]
  %456 = phi i1 [ true, %430 ], [ %609, %597 ]
  %457 = phi i32 [ 0, %430 ], [ %608, %597 ]
  %458 = add nuw nsw i32 %457, %431
  %459 = zext i32 %458 to i64
  %460 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 0, i64 0
  %461 = addrspacecast float addrspace(3)* %460 to float*
  %462 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 1, i64 0
  %463 = addrspacecast float addrspace(3)* %462 to float*
  %464 = select i1 %162, float* %461, float* %463
  %465 = load volatile float, float* %464, align 4, !tbaa !5
  %466 = fsub float %465, %156
  %467 = fmul float %159, %466
  %468 = fcmp contract ogt float %467, %455
  br i1 %468, label %521, label %512

469:                                              ; preds = %521
  %470 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 0, i64 1
  %471 = addrspacecast float addrspace(3)* %470 to float*
  %472 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 1, i64 1
  %473 = addrspacecast float addrspace(3)* %472 to float*
  %474 = select i1 %169, float* %471, float* %473
  %475 = load volatile float, float* %474, align 4, !tbaa !5
  %476 = fsub float %475, %155
  %477 = fmul float %160, %476
  %478 = fcmp contract ogt float %477, %523
  br i1 %478, label %488, label %479

479:                                              ; preds = %469
  %480 = call float @llvm.maxnum.f32(float %524, float %477) #5
  %481 = select i1 %169, float* %473, float* %471
  %482 = load volatile float, float* %481, align 4, !tbaa !5
  %483 = fsub float %482, %155
  %484 = fmul float %160, %483
  %485 = fcmp contract olt float %484, %480
  br i1 %485, label %488, label %486

486:                                              ; preds = %479
  %487 = call float @llvm.minnum.f32(float %523, float %484) #5
  br label %488

488:                                              ; preds = %486, %479, %469
  %489 = phi i1 [ true, %486 ], [ false, %479 ], [ false, %469 ]
  %490 = phi float [ %487, %486 ], [ %523, %479 ], [ %523, %469 ]
  %491 = phi float [ %480, %486 ], [ %480, %479 ], [ %524, %469 ]
  br i1 %489, label %492, label %597

492:                                              ; preds = %488
  %493 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 0, i64 2
  %494 = addrspacecast float addrspace(3)* %493 to float*
  %495 = getelementptr inbounds [64 x %struct.box], [64 x %struct.box] addrspace(3)* @_ZZ10ray_casterE5boxes, i64 0, i64 %459, i32 1, i64 2
  %496 = addrspacecast float addrspace(3)* %495 to float*
  %497 = select i1 %189, float* %494, float* %496
  %498 = load volatile float, float* %497, align 4, !tbaa !5
  %499 = fsub float %498, %154
  %500 = fmul float %161, %499
  %501 = fcmp contract ogt float %500, %490
  br i1 %501, label %597, label %502

502:                                              ; preds = %492
  %503 = call float @llvm.maxnum.f32(float %491, float %500) #5
  %504 = select i1 %189, float* %496, float* %494
  %505 = load volatile float, float* %504, align 4, !tbaa !5
  %506 = fsub float %505, %154
  %507 = fmul float %161, %506
  %508 = fcmp contract olt float %507, %503
  br i1 %508, label %597, label %509

509:                                              ; preds = %502
  %510 = shl i32 %458, 1
  %511 = add nsw i32 %510, -32
  br label %525

512:                                              ; preds = %445
  %513 = call float @llvm.maxnum.f32(float %467, float 0.000000e+00) #5
  %514 = select i1 %162, float* %463, float* %461
  %515 = load volatile float, float* %514, align 4, !tbaa !5
  %516 = fsub float %515, %156
  %517 = fmul float %159, %516
  %518 = fcmp contract olt float %517, %513
  br i1 %518, label %521, label %519

519:                                              ; preds = %512
  %520 = call float @llvm.minnum.f32(float %455, float %517) #5
  br label %521

521:                                              ; preds = %519, %512, %445
  %522 = phi i1 [ true, %519 ], [ false, %512 ], [ false, %445 ]
  %523 = phi float [ %520, %519 ], [ %455, %512 ], [ %455, %445 ]
  %524 = phi float [ %513, %519 ], [ %513, %512 ], [ 0.000000e+00, %445 ]
  br i1 %522, label %469, label %597

525:                                              ; preds = %584, %509
  %526 = phi float [ %446, %509 ], [ %585, %584 ]
  %527 = phi i32 [ %447, %509 ], [ %586, %584 ]
  %528 = phi i32 [ %448, %509 ], [ %587, %584 ]
  %529 = phi i32 [ %449, %509 ], [ %588, %584 ]
  %530 = phi i32 [ %450, %509 ], [ %589, %584 ]
  %531 = phi i32 [ %451, %509 ], [ %590, %584 ]
  %532 = phi i32 [ %451, %509 ], [ %591, %584 ]
  %533 = phi float [ %452, %509 ], [ %592, %584 ]
  %534 = phi float [ %453, %509 ], [ %593, %584 ]
  %535 = phi float [ %454, %509 ], [ %594, %584 ]
  %536 = phi float [ %455, %509 ], [ %595, %584 ]
  %537 = phi float [ %455, %509 ], [ %596, %584 ]
  %538 = phi i1 [ true, %509 ], [ false, %584 ]
  %539 = phi i32 [ 0, %509 ], [ 1, %584 ]
  %540 = or i32 %539, %511
  %541 = icmp eq i32 %540, %149
  br i1 %541, label %584, label %542

542:                                              ; preds = %525
  %543 = zext i32 %540 to i64
  %544 = getelementptr inbounds [32 x %struct.sphere], [32 x %struct.sphere] addrspace(3)* @_ZZ10ray_casterE3all, i64 0, i64 %543, i32 0, i64 0
  %545 = addrspacecast float addrspace(3)* %544 to float*
  %546 = load volatile float, float* %545, align 4, !tbaa !5
  %547 = fsub float %546, %156
  %548 = getelementptr inbounds [32 x %struct.sphere], [32 x %struct.sphere] addrspace(3)* @_ZZ10ray_casterE3all, i64 0, i64 %543, i32 0, i64 1
  %549 = addrspacecast float addrspace(3)* %548 to float*
  %550 = load volatile float, float* %549, align 4, !tbaa !5
  %551 = fsub float %550, %155
  %552 = getelementptr inbounds [32 x %struct.sphere], [32 x %struct.sphere] addrspace(3)* @_ZZ10ray_casterE3all, i64 0, i64 %543, i32 0, i64 2
  %553 = addrspacecast float addrspace(3)* %552 to float*
  %554 = load volatile float, float* %553, align 4, !tbaa !5
  %555 = fsub float %554, %154
  %556 = fmul float %151, %555
  %557 = call float @llvm.fma.f32(float %551, float %152, float %556) #5
  %558 = call float @llvm.fma.f32(float %547, float %153, float %557) #5
  %559 = fcmp contract ugt float %558, 0.000000e+00
  br i1 %559, label %560, label %584

560:                                              ; preds = %542
  %561 = getelementptr inbounds [32 x %struct.sphere], [32 x %struct.sphere] addrspace(3)* @_ZZ10ray_casterE3all, i64 0, i64 %543, i32 1
  %562 = addrspacecast float addrspace(3)* %561 to float*
  %563 = load volatile float, float* %562, align 4, !tbaa !9
  %564 = fneg contract float %563
  %565 = fmul float %555, %555
  %566 = call float @llvm.fma.f32(float %551, float %551, float %565) #5
  %567 = call float @llvm.fma.f32(float %547, float %547, float %566) #5
  %568 = call float @llvm.fma.f32(float %564, float %563, float %567) #5
  %569 = fmul contract float %568, %206
  %570 = call float @llvm.fma.f32(float %558, float %558, float %569) #5
  %571 = fcmp contract olt float %570, 0.000000e+00
  br i1 %571, label %584, label %572

572:                                              ; preds = %560
  %573 = call float @llvm.sqrt.f32(float %570) #5
  %574 = fsub float %558, %573
  %575 = fdiv float %574, %205
  %576 = fcmp contract ole float %575, 0.000000e+00
  %577 = fcmp contract ogt float %575, %537
  %578 = select i1 %576, i1 true, i1 %577
  br i1 %578, label %584, label %579

579:                                              ; preds = %572
  %580 = fcmp contract oeq float %575, %537
  %581 = icmp ugt i32 %540, %532
  %582 = select i1 %580, i1 %581, i1 false
  br i1 %582, label %584, label %583

583:                                              ; preds = %579
  br i1 %150, label %584, label %611

584:                                              ; preds = %583, %579, %572, %560, %542, %525
  %585 = phi float [ %526, %525 ], [ %526, %560 ], [ %526, %572 ], [ %526, %579 ], [ %575, %583 ], [ %526, %542 ]
  %586 = phi i32 [ %527, %525 ], [ %527, %560 ], [ %527, %572 ], [ %527, %579 ], [ %540, %583 ], [ %527, %542 ]
  %587 = phi i32 [ %528, %525 ], [ %528, %560 ], [ %528, %572 ], [ %528, %579 ], [ %540, %583 ], [ %528, %542 ]
  %588 = phi i32 [ %529, %525 ], [ %529, %560 ], [ %529, %572 ], [ %529, %579 ], [ %540, %583 ], [ %529, %542 ]
  %589 = phi i32 [ %530, %525 ], [ %530, %560 ], [ %530, %572 ], [ %530, %579 ], [ %540, %583 ], [ %530, %542 ]
  %590 = phi i32 [ %531, %525 ], [ %531, %560 ], [ %531, %572 ], [ %531, %579 ], [ %540, %583 ], [ %531, %542 ]
  %591 = phi i32 [ %532, %525 ], [ %532, %560 ], [ %532, %572 ], [ %532, %579 ], [ %540, %583 ], [ %532, %542 ]
  %592 = phi float [ %533, %525 ], [ %533, %560 ], [ %533, %572 ], [ %533, %579 ], [ %575, %583 ], [ %533, %542 ]
  %593 = phi float [ %534, %525 ], [ %534, %560 ], [ %534, %572 ], [ %534, %579 ], [ %575, %583 ], [ %534, %542 ]
  %594 = phi float [ %535, %525 ], [ %535, %560 ], [ %535, %572 ], [ %535, %579 ], [ %575, %583 ], [ %535, %542 ]
  %595 = phi float [ %536, %525 ], [ %536, %560 ], [ %536, %572 ], [ %536, %579 ], [ %575, %583 ], [ %536, %542 ]
  %596 = phi float [ %537, %525 ], [ %537, %560 ], [ %537, %572 ], [ %537, %579 ], [ %575, %583 ], [ %537, %542 ]
  br i1 %538, label %525, label %597, !llvm.loop !14

597:                                              ; preds = %584, %521, %502, %492, %488
  %598 = phi float [ %446, %492 ], [ %446, %502 ], [ %446, %488 ], [ %446, %521 ], [ %585, %584 ]
  %599 = phi i32 [ %447, %492 ], [ %447, %502 ], [ %447, %488 ], [ %447, %521 ], [ %586, %584 ]
  %600 = phi i32 [ %448, %492 ], [ %448, %502 ], [ %448, %488 ], [ %448, %521 ], [ %587, %584 ]
  %601 = phi i32 [ %449, %492 ], [ %449, %502 ], [ %449, %488 ], [ %449, %521 ], [ %588, %584 ]
  %602 = phi i32 [ %450, %492 ], [ %450, %502 ], [ %450, %488 ], [ %450, %521 ], [ %589, %584 ]
  %603 = phi i32 [ %451, %492 ], [ %451, %502 ], [ %451, %488 ], [ %451, %521 ], [ %590, %584 ]
  %604 = phi float [ %452, %492 ], [ %452, %502 ], [ %452, %488 ], [ %452, %521 ], [ %592, %584 ]
  %605 = phi float [ %453, %492 ], [ %453, %502 ], [ %453, %488 ], [ %453, %521 ], [ %593, %584 ]
  %606 = phi float [ %454, %492 ], [ %454, %502 ], [ %454, %488 ], [ %454, %521 ], [ %594, %584 ]
  %607 = phi float [ %455, %492 ], [ %455, %502 ], [ %455, %488 ], [ %455, %521 ], [ %595, %584 ]
  %608 = add nuw nsw i32 %457, 1
  %609 = icmp eq i32 %457, 0
  %610 = icmp eq i32 %608, 2
  br i1 %610, label %611, label %445, !llvm.loop !15

611:                                              ; preds = %597, %583
  %612 = phi float [ %575, %583 ], [ %598, %597 ]
  %613 = phi i32 [ %540, %583 ], [ %599, %597 ]
  %614 = phi i32 [ %540, %583 ], [ %600, %597 ]
  %615 = phi i32 [ %540, %583 ], [ %601, %597 ]
  %616 = phi i32 [ %540, %583 ], [ %602, %597 ]
  %617 = phi float [ %575, %583 ], [ %604, %597 ]
  %618 = phi float [ %575, %583 ], [ %605, %597 ]
  %619 = phi float [ %575, %583 ], [ %606, %597 ]
  %620 = phi i1 [ %456, %583 ], [ %609, %597 ]
  br i1 %620, label %633, label %621

621:                                              ; preds = %611, %441, %423, %413, %409
  %622 = phi float [ %369, %413 ], [ %369, %423 ], [ %612, %611 ], [ %369, %409 ], [ %369, %441 ]
  %623 = phi i32 [ %370, %413 ], [ %370, %423 ], [ %613, %611 ], [ %370, %409 ], [ %370, %441 ]
  %624 = phi i32 [ %371, %413 ], [ %371, %423 ], [ %614, %611 ], [ %371, %409 ], [ %371, %441 ]
  %625 = phi i32 [ %372, %413 ], [ %372, %423 ], [ %615, %611 ], [ %372, %409 ], [ %372, %441 ]
  %626 = phi i32 [ %373, %413 ], [ %373, %423 ], [ %616, %611 ], [ %373, %409 ], [ %373, %441 ]
  %627 = phi float [ %374, %413 ], [ %374, %423 ], [ %617, %611 ], [ %374, %409 ], [ %374, %441 ]
  %628 = phi float [ %375, %413 ], [ %375, %423 ], [ %618, %611 ], [ %375, %409 ], [ %375, %441 ]
  %629 = phi float [ %376, %413 ], [ %376, %423 ], [ %619, %611 ], [ %376, %409 ], [ %376, %441 ]
  %630 = add nuw nsw i32 %378, 1
  %631 = icmp eq i32 %378, 0
  %632 = icmp eq i32 %630, 2
  br i1 %632, label %633, label %368, !llvm.loop !16

633:                                              ; preds = %621, %611
  %634 = phi float [ %622, %621 ], [ %612, %611 ]
  %635 = phi i32 [ %623, %621 ], [ %613, %611 ]
  %636 = phi i32 [ %624, %621 ], [ %614, %611 ]
  %637 = phi i32 [ %625, %621 ], [ %615, %611 ]
  %638 = phi float [ %627, %621 ], [ %617, %611 ]
  %639 = phi float [ %628, %621 ], [ %618, %611 ]
  %640 = phi i1 [ %631, %621 ], [ %377, %611 ]
  br i1 %640, label %651, label %641

641:                                              ; preds = %633, %364, %346, %336, %332
  %642 = phi float [ %294, %336 ], [ %294, %346 ], [ %634, %633 ], [ %294, %332 ], [ %294, %364 ]
  %643 = phi i32 [ %295, %336 ], [ %295, %346 ], [ %635, %633 ], [ %295, %332 ], [ %295, %364 ]
  %644 = phi i32 [ %296, %336 ], [ %296, %346 ], [ %636, %633 ], [ %296, %332 ], [ %296, %364 ]
  %645 = phi i32 [ %297, %336 ], [ %297, %346 ], [ %637, %633 ], [ %297, %332 ], [ %297, %364 ]
  %646 = phi float [ %298, %336 ], [ %298, %346 ], [ %638, %633 ], [ %298, %332 ], [ %298, %364 ]
  %647 = phi float [ %299, %336 ], [ %299, %346 ], [ %639, %633 ], [ %299, %332 ], [ %299, %364 ]
  %648 = add nuw nsw i32 %301, 1
  %649 = icmp eq i32 %301, 0
  %650 = icmp eq i32 %648, 2
  br i1 %650, label %651, label %293, !llvm.loop !17

651:                                              ; preds = %641, %633
  %652 = phi float [ %642, %641 ], [ %634, %633 ]
  %653 = phi i32 [ %643, %641 ], [ %635, %633 ]
  %654 = phi i32 [ %644, %641 ], [ %636, %633 ]
  %655 = phi float [ %646, %641 ], [ %638, %633 ]
  %656 = phi i1 [ %649, %641 ], [ %300, %633 ]
  br i1 %656, label %665, label %657

657:                                              ; preds = %651, %289, %271, %261, %257
  %658 = phi float [ %221, %261 ], [ %221, %271 ], [ %652, %651 ], [ %221, %257 ], [ %221, %289 ]
  %659 = phi i32 [ %222, %261 ], [ %222, %271 ], [ %653, %651 ], [ %222, %257 ], [ %222, %289 ]
  %660 = phi i32 [ %223, %261 ], [ %223, %271 ], [ %654, %651 ], [ %223, %257 ], [ %223, %289 ]
  %661 = phi float [ %224, %261 ], [ %224, %271 ], [ %655, %651 ], [ %224, %257 ], [ %224, %289 ]
  %662 = add nuw nsw i32 %226, 1
  %663 = icmp eq i32 %226, 0
  %664 = icmp eq i32 %662, 2
  br i1 %664, label %665, label %220, !llvm.loop !18

665:                                              ; preds = %651, %657
  %666 = phi float [ %658, %657 ], [ %652, %651 ]
  %667 = phi i32 [ %659, %657 ], [ %653, %651 ]
  %668 = phi i1 [ %663, %657 ], [ %225, %651 ]
  br i1 %668, label %687, label %669

669:                                              ; preds = %184, %216, %195, %188, %665
  %670 = phi float [ 0x46293E5940000000, %188 ], [ 0x46293E5940000000, %195 ], [ %666, %665 ], [ 0x46293E5940000000, %184 ], [ 0x46293E5940000000, %216 ]
  %671 = phi i32 [ %149, %188 ], [ %149, %195 ], [ %667, %665 ], [ %149, %184 ], [ %149, %216 ]
  br i1 %150, label %674, label %672

672:                                              ; preds = %669
  %673 = or i32 %158, -2147483648
  br label %687

674:                                              ; preds = %669
  %675 = icmp eq i32 %671, 32
  br i1 %675, label %687, label %676

676:                                              ; preds = %674
  %677 = shl i32 %671, 20
  %678 = fmul float %670, 1.024000e+03
  %679 = fptoui float %678 to i32
  %680 = call float @llvm.fma.f32(float %670, float %153, float %156) #5
  %681 = call float @llvm.fma.f32(float %670, float %152, float %155) #5
  %682 = call float @llvm.fma.f32(float %670, float %151, float %154) #5
  %683 = add i32 %677, 1048576
  %684 = or i32 %683, %679
  %685 = add nuw nsw i32 %157, 1
  %686 = icmp eq i32 %685, 2
  br i1 %686, label %687, label %148, !llvm.loop !19

687:                                              ; preds = %674, %665, %676, %672
  %688 = phi i32 [ %673, %672 ], [ %158, %674 ], [ %158, %665 ], [ %684, %676 ]
  %689 = mul i32 %84, %2
  %690 = add i32 %689, %80
  %691 = zext i32 %690 to i64
  %692 = getelementptr inbounds i32, i32* %1, i64 %691
  store i32 %688, i32* %692, align 4, !tbaa !20
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare float @llvm.nvvm.ui2f.rn(i32) #3

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #2

declare float @llvm.fma.f32(float, float, float) #4

declare float @llvm.minnum.f32(float, float) #4

declare float @llvm.maxnum.f32(float, float) #4

declare float @llvm.sqrt.f32(float) #4

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #5 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, i32*, i32)* @ray_caster, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{!10, !6, i64 12}
!10 = !{!"_ZTS6sphere", !7, i64 0, !6, i64 12}
!11 = distinct !{!11, !12, !13}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !{!"llvm.loop.unroll.count", i32 1}
!14 = distinct !{!14, !12, !13}
!15 = distinct !{!15, !12, !13}
!16 = distinct !{!16, !12, !13}
!17 = distinct !{!17, !12, !13}
!18 = distinct !{!18, !12, !13}
!19 = distinct !{!19, !12, !13}
!20 = !{!21, !21, i64 0}
!21 = !{!"int", !7, i64 0}
