; SPDX-License-Identifier: BSL-1.0
; Compiled from photon_transport.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "photon_transport.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.material = type { float, float, float }

define dso_local void @photon_transport(i32* nocapture noundef readonly %0, %struct.material* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32* nocapture noundef %3, i32* nocapture noundef writeonly %4, i32 noundef %5, i32 noundef %6, float noundef %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #4
  %11 = mul i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %13 = add i32 %11, %12
  %14 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %5) #4
  %15 = zext i32 %13 to i64
  %16 = icmp eq i32 %6, 0
  br i1 %16, label %21, label %17

17:                                               ; preds = %8
  %18 = getelementptr inbounds i32, i32* %2, i64 %15
  %19 = load i32, i32* %18, align 4, !tbaa !5
  %20 = fmul float %14, 5.000000e-01
  br label %24

21:                                               ; preds = %255, %8
  %22 = phi i32 [ 0, %8 ], [ %247, %255 ]
  %23 = getelementptr inbounds i32, i32* %4, i64 %15
  store i32 %22, i32* %23, align 4, !tbaa !5
  ret void

24:                                               ; preds = %17, %255
  %25 = phi i32 [ 0, %17 ], [ %247, %255 ]
  %26 = phi i32 [ 0, %17 ], [ %256, %255 ]
  %27 = phi i32 [ undef, %17 ], [ %241, %255 ]
  %28 = phi i32 [ %19, %17 ], [ %240, %255 ]
  br label %29

29:                                               ; preds = %248, %24
  %30 = phi i32 [ %28, %24 ], [ %240, %248 ]
  %31 = phi i32 [ %27, %24 ], [ %241, %248 ]
  %32 = phi float [ 2.500000e-01, %24 ], [ %242, %248 ]
  %33 = phi float [ 1.000000e+00, %24 ], [ %243, %248 ]
  %34 = phi float [ 0.000000e+00, %24 ], [ %244, %248 ]
  %35 = phi float [ 0.000000e+00, %24 ], [ %245, %248 ]
  %36 = phi float [ 0.000000e+00, %24 ], [ %74, %248 ]
  %37 = phi float [ %20, %24 ], [ %73, %248 ]
  %38 = phi float [ %20, %24 ], [ %72, %248 ]
  %39 = phi i32 [ %25, %24 ], [ %247, %248 ]
  br label %40

40:                                               ; preds = %63, %29
  %41 = phi i32 [ %30, %29 ], [ %59, %63 ]
  %42 = phi i32 [ 0, %29 ], [ %67, %63 ]
  %43 = shl i32 %41, 13
  %44 = xor i32 %43, %41
  %45 = lshr i32 %44, 17
  %46 = xor i32 %45, %44
  %47 = shl i32 %46, 5
  %48 = xor i32 %47, %46
  %49 = lshr i32 %48, 8
  br label %50

50:                                               ; preds = %50, %40
  %51 = phi i32 [ %48, %40 ], [ %59, %50 ]
  %52 = phi i32 [ 0, %40 ], [ %62, %50 ]
  %53 = phi i32 [ %49, %40 ], [ %60, %50 ]
  %54 = shl i32 %51, 13
  %55 = xor i32 %54, %51
  %56 = lshr i32 %55, 17
  %57 = xor i32 %56, %55
  %58 = shl i32 %57, 5
  %59 = xor i32 %58, %57
  %60 = lshr i32 %59, 8
  %61 = icmp ult i32 %60, %53
  %62 = add i32 %52, 1
  br i1 %61, label %50, label %63

63:                                               ; preds = %50
  %64 = and i32 %52, 1
  %65 = icmp eq i32 %64, 0
  %66 = select i1 %65, i32 %49, i32 16777216
  %67 = add i32 %66, %42
  br i1 %65, label %68, label %40

68:                                               ; preds = %63
  %69 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %67) #4
  %70 = fmul float %69, 0x3E70000000000000
  %71 = fmul float %70, %7
  %72 = tail call float @llvm.fma.f32(float %71, float %35, float %38) #4
  %73 = tail call float @llvm.fma.f32(float %71, float %34, float %37) #4
  %74 = tail call float @llvm.fma.f32(float %71, float %33, float %36) #4
  %75 = fcmp contract olt float %72, 0.000000e+00
  %76 = fcmp contract olt float %73, 0.000000e+00
  %77 = or i1 %75, %76
  %78 = fcmp contract olt float %74, 0.000000e+00
  %79 = or i1 %78, %77
  %80 = xor i1 %79, true
  %81 = fcmp contract ult float %72, %14
  %82 = and i1 %81, %80
  %83 = fcmp contract ult float %73, %14
  %84 = and i1 %83, %82
  %85 = fcmp contract ult float %74, %14
  %86 = and i1 %85, %84
  br i1 %86, label %89, label %87

87:                                               ; preds = %68
  %88 = add i32 %39, 1
  br label %239

89:                                               ; preds = %68
  %90 = fptoui float %74 to i32
  %91 = mul i32 %90, %5
  %92 = fptoui float %73 to i32
  %93 = add i32 %91, %92
  %94 = mul i32 %93, %5
  %95 = fptoui float %72 to i32
  %96 = add i32 %94, %95
  %97 = zext i32 %96 to i64
  %98 = getelementptr inbounds i32, i32* %0, i64 %97
  %99 = load i32, i32* %98, align 4, !tbaa !5
  %100 = zext i32 %99 to i64
  %101 = getelementptr inbounds %struct.material, %struct.material* %1, i64 %100, i32 0
  %102 = load float, float* %101, align 4, !tbaa.struct !9
  %103 = getelementptr inbounds %struct.material, %struct.material* %1, i64 %100, i32 2
  %104 = load float, float* %103, align 4, !tbaa.struct !12
  %105 = shl i32 %59, 13
  %106 = xor i32 %105, %59
  %107 = lshr i32 %106, 17
  %108 = xor i32 %107, %106
  %109 = shl i32 %108, 5
  %110 = xor i32 %109, %108
  %111 = lshr i32 %110, 8
  %112 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %111) #4
  %113 = fmul float %112, 0x3E70000000000000
  %114 = fcmp contract ult float %113, %102
  br i1 %114, label %115, label %239, !llvm.loop !13

115:                                              ; preds = %89
  %116 = getelementptr inbounds %struct.material, %struct.material* %1, i64 %100, i32 1
  %117 = load float, float* %116, align 4, !tbaa.struct !15
  %118 = shl i32 %110, 13
  %119 = xor i32 %118, %110
  %120 = lshr i32 %119, 17
  %121 = xor i32 %120, %119
  %122 = shl i32 %121, 5
  %123 = xor i32 %122, %121
  %124 = lshr i32 %123, 8
  %125 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %124) #4
  %126 = fmul float %125, 0x3E70000000000000
  %127 = fcmp contract olt float %126, %117
  br i1 %127, label %139, label %128

128:                                              ; preds = %115
  %129 = shl i32 %123, 13
  %130 = xor i32 %129, %123
  %131 = lshr i32 %130, 17
  %132 = xor i32 %131, %130
  %133 = shl i32 %132, 5
  %134 = xor i32 %133, %132
  %135 = lshr i32 %134, 8
  %136 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %135) #4
  %137 = fmul float %136, 0x3E70000000000000
  %138 = fcmp contract olt float %137, %104
  br i1 %138, label %239, label %139

139:                                              ; preds = %128, %115
  %140 = phi i32 [ %123, %115 ], [ %134, %128 ]
  %141 = getelementptr inbounds i32, i32* %3, i64 %97
  br label %142

142:                                              ; preds = %231, %139
  %143 = phi i32 [ %140, %139 ], [ %232, %231 ]
  %144 = phi float [ %32, %139 ], [ %233, %231 ]
  %145 = phi float [ %33, %139 ], [ %234, %231 ]
  %146 = phi float [ %34, %139 ], [ %235, %231 ]
  %147 = phi float [ %35, %139 ], [ %236, %231 ]
  %148 = shl i32 %143, 13
  %149 = xor i32 %148, %143
  %150 = lshr i32 %149, 17
  %151 = xor i32 %150, %149
  %152 = shl i32 %151, 5
  %153 = xor i32 %152, %151
  %154 = lshr i32 %153, 8
  %155 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %154) #4
  %156 = fmul float %155, 0x3E70000000000000
  %157 = tail call float @llvm.fma.f32(float %156, float 2.000000e+00, float -1.000000e+00) #4
  %158 = shl i32 %153, 13
  %159 = xor i32 %158, %153
  %160 = lshr i32 %159, 17
  %161 = xor i32 %160, %159
  %162 = shl i32 %161, 5
  %163 = xor i32 %162, %161
  %164 = lshr i32 %163, 8
  %165 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %164) #4
  %166 = fmul float %165, 0x3E70000000000000
  %167 = tail call float @llvm.fma.f32(float %166, float 2.000000e+00, float -1.000000e+00) #4
  %168 = fmul float %167, %167
  %169 = tail call float @llvm.fma.f32(float %157, float %157, float %168) #4
  %170 = fcmp contract ult float %169, 1.000000e+00
  br i1 %170, label %171, label %231, !llvm.loop !16

171:                                              ; preds = %142
  %172 = fsub float 1.000000e+00, %169
  %173 = tail call float @llvm.sqrt.f32(float %172) #4
  %174 = fmul float %173, 2.000000e+00
  %175 = fmul float %157, %174
  %176 = fmul float %167, %174
  %177 = tail call float @llvm.fma.f32(float %169, float -2.000000e+00, float 1.000000e+00) #4
  %178 = fmul float %145, %177
  %179 = tail call float @llvm.fma.f32(float %146, float %176, float %178) #4
  %180 = tail call float @llvm.fma.f32(float %147, float %175, float %179) #4
  %181 = fmul float %180, %180
  br i1 %127, label %182, label %195

182:                                              ; preds = %171
  %183 = shl i32 %163, 13
  %184 = xor i32 %183, %163
  %185 = lshr i32 %184, 17
  %186 = xor i32 %185, %184
  %187 = shl i32 %186, 5
  %188 = xor i32 %187, %186
  %189 = lshr i32 %188, 8
  %190 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %189) #4
  %191 = fmul float %190, 0x3E70000000000000
  %192 = fmul float %191, 2.000000e+00
  %193 = fadd float %181, 1.000000e+00
  %194 = fcmp contract ult float %192, %193
  br i1 %194, label %228, label %231, !llvm.loop !16

195:                                              ; preds = %171
  %196 = fsub float 1.000000e+00, %180
  %197 = tail call float @llvm.fma.f32(float %144, float %196, float 1.000000e+00) #4
  %198 = fdiv float 1.000000e+00, %197
  %199 = fdiv float 1.000000e+00, %198
  %200 = fadd float %198, %199
  %201 = fadd float %181, -1.000000e+00
  %202 = fadd float %201, %200
  %203 = shl i32 %163, 13
  %204 = xor i32 %203, %163
  %205 = lshr i32 %204, 17
  %206 = xor i32 %205, %204
  %207 = shl i32 %206, 5
  %208 = xor i32 %207, %206
  %209 = lshr i32 %208, 8
  %210 = tail call contract float @llvm.nvvm.ui2f.rn(i32 %209) #4
  %211 = fmul float %210, 0x3E70000000000000
  %212 = fmul float %211, 2.000000e+00
  %213 = fmul float %198, %198
  %214 = fmul float %213, %202
  %215 = fcmp contract ult float %212, %214
  %216 = fmul float %144, %198
  br i1 %215, label %217, label %224, !llvm.loop !16

217:                                              ; preds = %195
  %218 = fcmp contract olt float %216, 0x3F947AE140000000
  %219 = select i1 %218, i32 11, i32 0
  %220 = fsub float %144, %216
  %221 = fmul float %220, 6.553600e+04
  %222 = fptoui float %221 to i32
  %223 = atomicrmw add i32* %141, i32 %222 monotonic, align 4
  br label %224

224:                                              ; preds = %195, %217
  %225 = phi float [ %216, %217 ], [ %144, %195 ]
  %226 = phi i32 [ %219, %217 ], [ 13, %195 ]
  %227 = icmp eq i32 %226, 0
  br i1 %227, label %228, label %231

228:                                              ; preds = %224, %182
  %229 = phi i32 [ %188, %182 ], [ %208, %224 ]
  %230 = phi float [ %144, %182 ], [ %225, %224 ]
  br label %231

231:                                              ; preds = %228, %224, %182, %142
  %232 = phi i32 [ %229, %228 ], [ %188, %182 ], [ %208, %224 ], [ %163, %142 ]
  %233 = phi float [ %230, %228 ], [ %144, %182 ], [ %225, %224 ], [ %144, %142 ]
  %234 = phi float [ %177, %228 ], [ %145, %182 ], [ %145, %224 ], [ %145, %142 ]
  %235 = phi float [ %176, %228 ], [ %146, %182 ], [ %146, %224 ], [ %146, %142 ]
  %236 = phi float [ %175, %228 ], [ %147, %182 ], [ %147, %224 ], [ %147, %142 ]
  %237 = phi i32 [ 12, %228 ], [ 13, %182 ], [ %226, %224 ], [ 13, %142 ]
  switch i32 %237, label %239 [
    i32 13, label %142
    i32 12, label %238
  ]

238:                                              ; preds = %231
  br label %239

239:                                              ; preds = %231, %238, %89, %128, %87
  %240 = phi i32 [ %134, %128 ], [ %110, %89 ], [ %59, %87 ], [ %232, %238 ], [ %232, %231 ]
  %241 = phi i32 [ %96, %128 ], [ %96, %89 ], [ %31, %87 ], [ %96, %238 ], [ %96, %231 ]
  %242 = phi float [ %32, %128 ], [ %32, %89 ], [ %32, %87 ], [ %233, %238 ], [ %233, %231 ]
  %243 = phi float [ %33, %128 ], [ %33, %89 ], [ %33, %87 ], [ %234, %238 ], [ %234, %231 ]
  %244 = phi float [ %34, %128 ], [ %34, %89 ], [ %34, %87 ], [ %235, %238 ], [ %235, %231 ]
  %245 = phi float [ %35, %128 ], [ %35, %89 ], [ %35, %87 ], [ %236, %238 ], [ %236, %231 ]
  %246 = phi i32 [ 11, %128 ], [ 6, %89 ], [ 5, %87 ], [ 0, %238 ], [ %237, %231 ]
  %247 = phi i32 [ %39, %128 ], [ %39, %89 ], [ %88, %87 ], [ %39, %238 ], [ %39, %231 ]
  switch i32 %246, label %255 [
    i32 0, label %248
    i32 11, label %249
    i32 6, label %248
  ]

248:                                              ; preds = %239, %239
  br label %29, !llvm.loop !13

249:                                              ; preds = %239
  %250 = zext i32 %241 to i64
  %251 = getelementptr inbounds i32, i32* %3, i64 %250
  %252 = fmul float %242, 6.553600e+04
  %253 = fptoui float %252 to i32
  %254 = atomicrmw add i32* %251, i32 %253 monotonic, align 4
  br label %255

255:                                              ; preds = %239, %249
  %256 = add nuw i32 %26, 1
  %257 = icmp eq i32 %256, %6
  br i1 %257, label %21, label %24, !llvm.loop !17
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare float @llvm.nvvm.ui2f.rn(i32) #2

declare float @llvm.fma.f32(float, float, float) #3

declare float @llvm.sqrt.f32(float) #3

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, %struct.material*, i32*, i32*, i32*, i32, i32, float)* @photon_transport, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{i64 0, i64 4, !10, i64 4, i64 4, !10, i64 8, i64 4, !10}
!10 = !{!11, !11, i64 0}
!11 = !{!"float", !7, i64 0}
!12 = !{i64 0, i64 4, !10}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
!15 = !{i64 0, i64 4, !10, i64 4, i64 4, !10}
!16 = distinct !{!16, !14}
!17 = distinct !{!17, !14, !18}
!18 = !{!"llvm.loop.unroll.count", i32 1}
