; SPDX-License-Identifier: BSL-1.0
; Compiled from mcx.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "mcx.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.medium = type { float, float, float }
%struct.uint4 = type { i32, i32, i32, i32 }

define dso_local void @mcx(i32* nocapture noundef readonly %0, %struct.medium* nocapture noundef readonly %1, float* noundef %2, %struct.uint4* nocapture noundef readonly %3, i32* nocapture noundef %4, i32* nocapture noundef %5, i32 noundef %6, i32 noundef %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4
  %11 = mul i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %13 = add i32 %11, %12
  %14 = shl i32 %13, 2
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %5, i64 %15
  %17 = zext i32 %13 to i64
  %18 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %6) #4
  %19 = fmul float %18, 5.000000e-01
  %20 = icmp eq i32 %7, 0
  br i1 %20, label %268, label %21

21:                                               ; preds = %8
  %22 = getelementptr inbounds %struct.uint4, %struct.uint4* %3, i64 %17, i32 3
  %23 = load i32, i32* %22, align 4, !tbaa.struct !5
  %24 = getelementptr inbounds %struct.uint4, %struct.uint4* %3, i64 %17, i32 2
  %25 = load i32, i32* %24, align 8, !tbaa.struct !10
  %26 = getelementptr inbounds %struct.uint4, %struct.uint4* %3, i64 %17, i32 1
  %27 = load i32, i32* %26, align 4, !tbaa.struct !11
  %28 = getelementptr inbounds %struct.uint4, %struct.uint4* %3, i64 %17, i32 0
  %29 = load i32, i32* %28, align 16, !tbaa.struct !12
  %30 = getelementptr inbounds float, float* %2, i64 1
  %31 = getelementptr inbounds float, float* %2, i64 2
  %32 = getelementptr inbounds float, float* %2, i64 3
  %33 = getelementptr inbounds float, float* %2, i64 4
  %34 = getelementptr inbounds float, float* %2, i64 5
  %35 = getelementptr inbounds float, float* %2, i64 6
  %36 = getelementptr inbounds float, float* %2, i64 7
  %37 = getelementptr inbounds float, float* %2, i64 8
  %38 = getelementptr inbounds float, float* %2, i64 9
  %39 = getelementptr inbounds float, float* %2, i64 10
  %40 = getelementptr inbounds i32, i32* %16, i64 1
  %41 = getelementptr inbounds i32, i32* %16, i64 2
  %42 = getelementptr inbounds i32, i32* %16, i64 3
  br label %43

43:                                               ; preds = %21, %261
  %44 = phi i32 [ 0, %21 ], [ %49, %261 ]
  %45 = phi i32 [ %29, %21 ], [ %205, %261 ]
  %46 = phi i32 [ %27, %21 ], [ %204, %261 ]
  %47 = phi i32 [ %25, %21 ], [ %203, %261 ]
  %48 = phi i32 [ %23, %21 ], [ %202, %261 ]
  %49 = add nuw i32 %44, 1
  %50 = shl i32 %45, 11
  %51 = xor i32 %50, %45
  %52 = lshr i32 %48, 19
  %53 = lshr i32 %51, 8
  %54 = xor i32 %51, %48
  %55 = xor i32 %54, %53
  %56 = xor i32 %55, %52
  %57 = lshr i32 %56, 8
  %58 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %57) #4
  %59 = fmul float %58, 0x3E70000000000000
  %60 = fadd float %19, %59
  %61 = shl i32 %46, 11
  %62 = xor i32 %61, %46
  %63 = lshr i32 %55, 19
  %64 = lshr i32 %62, 8
  %65 = xor i32 %64, %62
  %66 = xor i32 %65, %56
  %67 = xor i32 %66, %63
  %68 = lshr i32 %67, 8
  %69 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %68) #4
  %70 = fmul float %69, 0x3E70000000000000
  %71 = fadd float %19, %70
  br label %72

72:                                               ; preds = %252, %43
  %73 = phi i32 [ %67, %43 ], [ %202, %252 ]
  %74 = phi i32 [ %56, %43 ], [ %203, %252 ]
  %75 = phi i32 [ %48, %43 ], [ %204, %252 ]
  %76 = phi i32 [ %47, %43 ], [ %205, %252 ]
  %77 = phi float [ 0.000000e+00, %43 ], [ %215, %252 ]
  %78 = phi float [ 1.000000e+00, %43 ], [ %214, %252 ]
  %79 = phi float [ 1.000000e+00, %43 ], [ %206, %252 ]
  %80 = phi float [ 0.000000e+00, %43 ], [ %207, %252 ]
  %81 = phi float [ 0.000000e+00, %43 ], [ %208, %252 ]
  %82 = phi float [ 0.000000e+00, %43 ], [ %218, %252 ]
  %83 = phi float [ %71, %43 ], [ %217, %252 ]
  %84 = phi float [ %60, %43 ], [ %216, %252 ]
  %85 = fptoui float %82 to i32
  %86 = mul i32 %85, %6
  %87 = fptoui float %83 to i32
  %88 = add i32 %86, %87
  %89 = mul i32 %88, %6
  %90 = fptoui float %84 to i32
  %91 = add i32 %89, %90
  %92 = zext i32 %91 to i64
  %93 = getelementptr inbounds i32, i32* %0, i64 %92
  %94 = load i32, i32* %93, align 4, !tbaa !6
  %95 = zext i32 %94 to i64
  %96 = getelementptr inbounds %struct.medium, %struct.medium* %1, i64 %95, i32 0
  %97 = load float, float* %96, align 4, !tbaa.struct !13
  %98 = getelementptr inbounds %struct.medium, %struct.medium* %1, i64 %95, i32 1
  %99 = load float, float* %98, align 4, !tbaa.struct !16
  %100 = getelementptr inbounds %struct.medium, %struct.medium* %1, i64 %95, i32 2
  %101 = load float, float* %100, align 4, !tbaa.struct !17
  %102 = shl i32 %76, 11
  %103 = xor i32 %102, %76
  %104 = lshr i32 %73, 19
  %105 = lshr i32 %103, 8
  %106 = xor i32 %103, %73
  %107 = xor i32 %106, %105
  %108 = xor i32 %107, %104
  %109 = lshr i32 %108, 8
  %110 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %109) #4
  %111 = fmul float %110, 0x3E70000000000000
  %112 = fcmp contract olt float %111, %99
  br i1 %112, label %113, label %201

113:                                              ; preds = %72
  %114 = fmul float %101, %101
  %115 = fsub float 1.000000e+00, %114
  %116 = fmul float %101, 2.000000e+00
  %117 = shl i32 %75, 11
  %118 = xor i32 %117, %75
  %119 = lshr i32 %107, 19
  %120 = lshr i32 %118, 8
  %121 = xor i32 %120, %118
  %122 = xor i32 %121, %108
  %123 = xor i32 %122, %119
  %124 = lshr i32 %123, 8
  %125 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %124) #4
  %126 = fmul float %125, 0x3E70000000000000
  %127 = fsub float 1.000000e+00, %101
  %128 = tail call float @llvm.fma.f32(float %116, float %126, float %127) #4
  %129 = fdiv float %115, %128
  %130 = fadd float %114, 1.000000e+00
  %131 = fmul float %129, %129
  %132 = fsub float %130, %131
  %133 = fdiv float %132, %116
  %134 = fneg contract float %133
  %135 = tail call float @llvm.fma.f32(float %134, float %133, float 1.000000e+00) #4
  %136 = tail call float @llvm.maxnum.f32(float %135, float 0.000000e+00) #4
  br label %137

137:                                              ; preds = %137, %113
  %138 = phi i32 [ %123, %113 ], [ %159, %137 ]
  %139 = phi i32 [ %108, %113 ], [ %148, %137 ]
  %140 = phi i32 [ %73, %113 ], [ %138, %137 ]
  %141 = phi i32 [ %74, %113 ], [ %139, %137 ]
  %142 = shl i32 %141, 11
  %143 = xor i32 %142, %141
  %144 = lshr i32 %138, 19
  %145 = lshr i32 %143, 8
  %146 = xor i32 %143, %138
  %147 = xor i32 %146, %145
  %148 = xor i32 %147, %144
  %149 = lshr i32 %148, 8
  %150 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %149) #4
  %151 = fmul float %150, 0x3E70000000000000
  %152 = tail call float @llvm.fma.f32(float %151, float 2.000000e+00, float -1.000000e+00) #4
  %153 = shl i32 %140, 11
  %154 = xor i32 %153, %140
  %155 = lshr i32 %147, 19
  %156 = lshr i32 %154, 8
  %157 = xor i32 %156, %154
  %158 = xor i32 %157, %148
  %159 = xor i32 %158, %155
  %160 = lshr i32 %159, 8
  %161 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %160) #4
  %162 = fmul float %161, 0x3E70000000000000
  %163 = tail call float @llvm.fma.f32(float %162, float 2.000000e+00, float -1.000000e+00) #4
  %164 = fmul float %163, %163
  %165 = tail call float @llvm.fma.f32(float %152, float %152, float %164) #4
  %166 = fcmp contract oge float %165, 1.000000e+00
  %167 = fcmp contract olt float %165, 0x3F1A36E2E0000000
  %168 = or i1 %166, %167
  br i1 %168, label %137, label %169, !llvm.loop !18

169:                                              ; preds = %137
  %170 = tail call float @llvm.sqrt.f32(float %136) #4
  %171 = fneg contract float %164
  %172 = tail call float @llvm.fma.f32(float %152, float %152, float %171) #4
  %173 = fdiv float %172, %165
  %174 = fmul float %170, %173
  %175 = fmul float %152, 2.000000e+00
  %176 = fmul float %175, %163
  %177 = fdiv float %176, %165
  %178 = fmul float %170, %177
  %179 = fneg contract float %79
  %180 = tail call float @llvm.fma.f32(float %179, float %79, float 1.000000e+00) #4
  %181 = fcmp contract ogt float %180, 0x3F1A36E2E0000000
  br i1 %181, label %182, label %198

182:                                              ; preds = %169
  %183 = tail call float @llvm.sqrt.f32(float %180) #4
  %184 = fmul float %81, %174
  %185 = fneg contract float %178
  %186 = fmul contract float %80, %185
  %187 = tail call float @llvm.fma.f32(float %184, float %79, float %186) #4
  %188 = fdiv float %187, %183
  %189 = fmul float %80, %174
  %190 = fmul float %81, %178
  %191 = tail call float @llvm.fma.f32(float %189, float %79, float %190) #4
  %192 = fdiv float %191, %183
  %193 = tail call float @llvm.fma.f32(float %81, float %133, float %188) #4
  %194 = tail call float @llvm.fma.f32(float %80, float %133, float %192) #4
  %195 = fneg contract float %174
  %196 = fmul contract float %183, %195
  %197 = tail call float @llvm.fma.f32(float %79, float %133, float %196) #4
  br label %201

198:                                              ; preds = %169
  %199 = fcmp contract ogt float %79, 0.000000e+00
  %200 = select contract i1 %199, float %133, float %134
  br label %201

201:                                              ; preds = %182, %198, %72
  %202 = phi i32 [ %159, %182 ], [ %159, %198 ], [ %108, %72 ]
  %203 = phi i32 [ %148, %182 ], [ %148, %198 ], [ %73, %72 ]
  %204 = phi i32 [ %138, %182 ], [ %138, %198 ], [ %74, %72 ]
  %205 = phi i32 [ %139, %182 ], [ %139, %198 ], [ %75, %72 ]
  %206 = phi float [ %197, %182 ], [ %200, %198 ], [ %79, %72 ]
  %207 = phi float [ %194, %182 ], [ %178, %198 ], [ %80, %72 ]
  %208 = phi float [ %193, %182 ], [ %174, %198 ], [ %81, %72 ]
  %209 = fmul float %78, %97
  %210 = getelementptr inbounds i32, i32* %4, i64 %92
  %211 = fmul float %209, 6.553600e+04
  %212 = fptoui float %211 to i32
  %213 = atomicrmw add i32* %210, i32 %212 monotonic, align 4
  %214 = fsub float %78, %209
  %215 = fadd float %77, 1.000000e+00
  %216 = fadd float %84, %208
  %217 = fadd float %83, %207
  %218 = fadd float %82, %206
  %219 = load volatile float, float* %2, align 4, !tbaa !14
  %220 = fcmp contract olt float %218, %219
  br i1 %220, label %252, label %221

221:                                              ; preds = %201
  %222 = load volatile float, float* %30, align 4, !tbaa !14
  %223 = fcmp contract olt float %216, %222
  br i1 %223, label %252, label %224

224:                                              ; preds = %221
  %225 = load volatile float, float* %31, align 4, !tbaa !14
  %226 = fcmp contract olt float %217, %225
  br i1 %226, label %252, label %227

227:                                              ; preds = %224
  %228 = load volatile float, float* %32, align 4, !tbaa !14
  %229 = fcmp contract ult float %216, %228
  br i1 %229, label %230, label %252

230:                                              ; preds = %227
  %231 = load volatile float, float* %33, align 4, !tbaa !14
  %232 = fcmp contract ult float %217, %231
  br i1 %232, label %233, label %252

233:                                              ; preds = %230
  %234 = load volatile float, float* %34, align 4, !tbaa !14
  %235 = fcmp contract ult float %218, %234
  br i1 %235, label %236, label %252

236:                                              ; preds = %233
  %237 = load volatile float, float* %35, align 4, !tbaa !14
  %238 = fcmp contract olt float %214, %237
  br i1 %238, label %252, label %239

239:                                              ; preds = %236
  %240 = load volatile float, float* %36, align 4, !tbaa !14
  %241 = fcmp contract ult float %215, %240
  br i1 %241, label %242, label %252

242:                                              ; preds = %239
  %243 = load volatile float, float* %37, align 4, !tbaa !14
  %244 = fcmp contract oeq float %208, %243
  br i1 %244, label %252, label %245

245:                                              ; preds = %242
  %246 = load volatile float, float* %38, align 4, !tbaa !14
  %247 = fcmp contract oeq float %207, %246
  br i1 %247, label %252, label %248

248:                                              ; preds = %245
  %249 = load volatile float, float* %39, align 4, !tbaa !14
  %250 = fcmp contract oeq float %206, %249
  br i1 %250, label %252, label %251

251:                                              ; preds = %248
  br label %252

252:                                              ; preds = %221, %224, %227, %230, %233, %236, %239, %242, %245, %248, %201, %251
  %253 = phi i32 [ 0, %251 ], [ 7, %201 ], [ 8, %248 ], [ 8, %245 ], [ 8, %242 ], [ 8, %239 ], [ 8, %236 ], [ 8, %233 ], [ 8, %230 ], [ 8, %227 ], [ 8, %224 ], [ 8, %221 ]
  switch i32 %253, label %268 [
    i32 0, label %72
    i32 7, label %254
    i32 8, label %261
  ], !llvm.loop !20

254:                                              ; preds = %252
  %255 = load i32, i32* %16, align 4, !tbaa !6
  %256 = add i32 %255, 1
  store i32 %256, i32* %16, align 4, !tbaa !6
  %257 = fmul float %214, 6.553600e+04
  %258 = fptoui float %257 to i32
  %259 = load i32, i32* %40, align 4, !tbaa !6
  %260 = add i32 %259, %258
  store i32 %260, i32* %40, align 4, !tbaa !6
  br label %261

261:                                              ; preds = %252, %254
  %262 = load i32, i32* %41, align 4, !tbaa !6
  %263 = add i32 %262, 1
  store i32 %263, i32* %41, align 4, !tbaa !6
  %264 = fptoui float %215 to i32
  %265 = load i32, i32* %42, align 4, !tbaa !6
  %266 = add i32 %265, %264
  store i32 %266, i32* %42, align 4, !tbaa !6
  %267 = icmp eq i32 %49, %7
  br i1 %267, label %268, label %43

268:                                              ; preds = %261, %252, %8
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare float @llvm.nvvm.ui2f.rn(i32) #2

declare float @llvm.fma.f32(float, float, float) #3

declare float @llvm.sqrt.f32(float) #3

declare float @llvm.maxnum.f32(float, float) #3

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, %struct.medium*, float*, %struct.uint4*, i32*, i32*, i32, i32)* @mcx, !"kernel", i32 1}
!5 = !{i64 0, i64 4, !6}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = !{i64 0, i64 4, !6, i64 4, i64 4, !6}
!11 = !{i64 0, i64 4, !6, i64 4, i64 4, !6, i64 8, i64 4, !6}
!12 = !{i64 0, i64 4, !6, i64 4, i64 4, !6, i64 8, i64 4, !6, i64 12, i64 4, !6}
!13 = !{i64 0, i64 4, !14, i64 4, i64 4, !14, i64 8, i64 4, !14}
!14 = !{!15, !15, i64 0}
!15 = !{!"float", !8, i64 0}
!16 = !{i64 0, i64 4, !14, i64 4, i64 4, !14}
!17 = !{i64 0, i64 4, !14}
!18 = distinct !{!18, !19}
!19 = !{!"llvm.loop.mustprogress"}
!20 = distinct !{!20, !19}
