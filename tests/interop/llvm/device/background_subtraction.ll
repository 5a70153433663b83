; SPDX-License-Identifier: BSL-1.0
; Compiled from background_subtraction.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "background_subtraction.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.float2 = type { float, float }
%struct.mode = type { float, float, [2 x float] }

define dso_local void @background_subtraction(%struct.float2* nocapture noundef readonly %0, %struct.mode* noundef %1, i32* nocapture noundef %2, i32* nocapture noundef writeonly %3, i32 noundef %4, float noundef %5, float noundef %6, float noundef %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %11 = mul i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %13 = add i32 %11, %12
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3
  %15 = mul i32 %14, %10
  %16 = shl i32 %13, 2
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds %struct.mode, %struct.mode* %1, i64 %17
  %19 = zext i32 %13 to i64
  %20 = getelementptr inbounds i32, i32* %2, i64 %19
  %21 = load i32, i32* %20, align 4, !tbaa !5
  %22 = icmp eq i32 %4, 0
  br i1 %22, label %25, label %23

23:                                               ; preds = %8
  %24 = fsub float 1.000000e+00, %5
  br label %27

25:                                               ; preds = %220, %8
  %26 = phi i32 [ %21, %8 ], [ %113, %220 ]
  store i32 %26, i32* %20, align 4, !tbaa !5
  ret void

27:                                               ; preds = %23, %220
  %28 = phi i32 [ %21, %23 ], [ %113, %220 ]
  %29 = phi i32 [ 0, %23 ], [ %208, %220 ]
  %30 = phi i32 [ 0, %23 ], [ %211, %220 ]
  %31 = mul i32 %30, %15
  %32 = add i32 %31, %13
  %33 = zext i32 %32 to i64
  %34 = getelementptr inbounds %struct.float2, %struct.float2* %0, i64 %33, i32 0
  %35 = load float, float* %34, align 8, !tbaa.struct !9
  %36 = getelementptr inbounds %struct.float2, %struct.float2* %0, i64 %33, i32 1
  %37 = load float, float* %36, align 4, !tbaa.struct !12
  %38 = icmp eq i32 %28, 0
  br i1 %38, label %94, label %39

39:                                               ; preds = %27, %91
  %40 = phi i32 [ %90, %91 ], [ %28, %27 ]
  %41 = phi i1 [ %64, %91 ], [ false, %27 ]
  %42 = phi float [ %88, %91 ], [ 0.000000e+00, %27 ]
  %43 = phi i32 [ %92, %91 ], [ 0, %27 ]
  %44 = zext i32 %43 to i64
  %45 = getelementptr inbounds %struct.mode, %struct.mode* %18, i64 %44
  %46 = getelementptr inbounds %struct.mode, %struct.mode* %45, i64 0, i32 0
  %47 = load volatile float, float* %46, align 4, !tbaa !13
  %48 = fmul float %24, %47
  %49 = getelementptr inbounds %struct.mode, %struct.mode* %45, i64 0, i32 2
  %50 = getelementptr inbounds [2 x float], [2 x float]* %49, i64 0, i64 0
  %51 = load volatile float, float* %50, align 4, !tbaa !10
  %52 = fsub float %35, %51
  %53 = getelementptr inbounds [2 x float], [2 x float]* %49, i64 0, i64 1
  %54 = load volatile float, float* %53, align 4, !tbaa !10
  %55 = fsub float %37, %54
  %56 = fmul float %55, %55
  %57 = tail call float @llvm.fma.f32(float %52, float %52, float %56) #3
  %58 = getelementptr inbounds %struct.mode, %struct.mode* %45, i64 0, i32 1
  %59 = load volatile float, float* %58, align 4, !tbaa !15
  %60 = fcmp contract olt float %42, %7
  %61 = fmul float %59, 1.600000e+01
  %62 = fcmp contract olt float %57, %61
  %63 = select i1 %60, i1 %62, i1 false
  %64 = select i1 %63, i1 true, i1 %41
  %65 = fmul float %59, 9.000000e+00
  %66 = fcmp contract olt float %57, %65
  br i1 %66, label %67, label %78

67:                                               ; preds = %39
  %68 = fadd float %48, %5
  %69 = fdiv float %5, %68
  %70 = load volatile float, float* %50, align 4, !tbaa !10
  %71 = tail call float @llvm.fma.f32(float %69, float %52, float %70) #3
  store volatile float %71, float* %50, align 4, !tbaa !10
  %72 = load volatile float, float* %53, align 4, !tbaa !10
  %73 = tail call float @llvm.fma.f32(float %69, float %55, float %72) #3
  store volatile float %73, float* %53, align 4, !tbaa !10
  %74 = fsub float %57, %59
  %75 = tail call float @llvm.fma.f32(float %69, float %74, float %59) #3
  %76 = tail call float @llvm.maxnum.f32(float %75, float 4.000000e+00) #3
  %77 = tail call float @llvm.minnum.f32(float %76, float 7.500000e+01) #3
  store volatile float %77, float* %58, align 4, !tbaa !15
  store volatile float %68, float* %46, align 4, !tbaa !13
  br label %87

78:                                               ; preds = %39
  store volatile float %48, float* %46, align 4, !tbaa !13
  %79 = fadd float %42, %48
  %80 = fcmp contract olt float %48, %6
  %81 = add nuw i32 %43, 1
  %82 = icmp eq i32 %81, %40
  %83 = select i1 %80, i1 %82, i1 false
  %84 = select i1 %83, i32 5, i32 0
  %85 = sext i1 %83 to i32
  %86 = add i32 %40, %85
  br label %87

87:                                               ; preds = %78, %67
  %88 = phi float [ %42, %67 ], [ %79, %78 ]
  %89 = phi i32 [ 8, %67 ], [ %84, %78 ]
  %90 = phi i32 [ %40, %67 ], [ %86, %78 ]
  switch i32 %89, label %222 [
    i32 0, label %91
    i32 5, label %94
    i32 8, label %110
  ]

91:                                               ; preds = %87
  %92 = add nuw i32 %43, 1
  %93 = icmp ult i32 %92, %90
  br i1 %93, label %39, label %94, !llvm.loop !16

94:                                               ; preds = %91, %87, %27
  %95 = phi i1 [ false, %27 ], [ %64, %87 ], [ %64, %91 ]
  %96 = phi i32 [ 0, %27 ], [ %90, %87 ], [ %90, %91 ]
  %97 = icmp ult i32 %96, 4
  %98 = zext i1 %97 to i32
  %99 = add i32 %96, %98
  %100 = add i32 %99, -1
  %101 = icmp eq i32 %100, 0
  %102 = select contract i1 %101, float 1.000000e+00, float %5
  %103 = zext i32 %100 to i64
  %104 = getelementptr inbounds %struct.mode, %struct.mode* %18, i64 %103
  %105 = getelementptr inbounds %struct.mode, %struct.mode* %104, i64 0, i32 0
  store volatile float %102, float* %105, align 4, !tbaa !13
  %106 = getelementptr inbounds %struct.mode, %struct.mode* %104, i64 0, i32 1
  store volatile float 1.500000e+01, float* %106, align 4, !tbaa !15
  %107 = getelementptr inbounds %struct.mode, %struct.mode* %104, i64 0, i32 2
  %108 = getelementptr inbounds [2 x float], [2 x float]* %107, i64 0, i64 0
  store volatile float %35, float* %108, align 4, !tbaa !10
  %109 = getelementptr inbounds [2 x float], [2 x float]* %107, i64 0, i64 1
  store volatile float %37, float* %109, align 4, !tbaa !10
  br label %110

110:                                              ; preds = %87, %94
  %111 = phi i32 [ %100, %94 ], [ %43, %87 ]
  %112 = phi i1 [ %95, %94 ], [ %64, %87 ]
  %113 = phi i32 [ %99, %94 ], [ %90, %87 ]
  %114 = icmp eq i32 %111, 0
  br i1 %114, label %143, label %115

115:                                              ; preds = %110, %127
  %116 = phi i32 [ %121, %127 ], [ %111, %110 ]
  %117 = zext i32 %116 to i64
  %118 = getelementptr inbounds %struct.mode, %struct.mode* %18, i64 %117
  %119 = getelementptr inbounds %struct.mode, %struct.mode* %118, i64 0, i32 0
  %120 = load volatile float, float* %119, align 4, !tbaa !13
  %121 = add i32 %116, -1
  %122 = zext i32 %121 to i64
  %123 = getelementptr inbounds %struct.mode, %struct.mode* %18, i64 %122
  %124 = getelementptr inbounds %struct.mode, %struct.mode* %123, i64 0, i32 0
  %125 = load volatile float, float* %124, align 4, !tbaa !13
  %126 = fcmp contract olt float %120, %125
  br i1 %126, label %143, label %127

127:                                              ; preds = %115
  %128 = getelementptr inbounds %struct.mode, %struct.mode* %118, i64 0, i32 1
  %129 = load volatile float, float* %128, align 4, !tbaa !15
  %130 = getelementptr inbounds %struct.mode, %struct.mode* %118, i64 0, i32 2
  %131 = getelementptr inbounds [2 x float], [2 x float]* %130, i64 0, i64 0
  %132 = load volatile float, float* %131, align 4, !tbaa !10
  %133 = getelementptr inbounds [2 x float], [2 x float]* %130, i64 0, i64 1
  %134 = load volatile float, float* %133, align 4, !tbaa !10
  store volatile float %125, float* %119, align 4, !tbaa !13
  %135 = getelementptr inbounds %struct.mode, %struct.mode* %123, i64 0, i32 1
  %136 = load volatile float, float* %135, align 4, !tbaa !15
  store volatile float %136, float* %128, align 4, !tbaa !15
  %137 = getelementptr inbounds %struct.mode, %struct.mode* %123, i64 0, i32 2
  %138 = getelementptr inbounds [2 x float], [2 x float]* %137, i64 0, i64 0
  %139 = load volatile float, float* %138, align 4, !tbaa !10
  store volatile float %139, float* %131, align 4, !tbaa !10
  %140 = getelementptr inbounds [2 x float], [2 x float]* %137, i64 0, i64 1
  %141 = load volatile float, float* %140, align 4, !tbaa !10
  store volatile float %141, float* %133, align 4, !tbaa !10
  store volatile float %120, float* %124, align 4, !tbaa !13
  store volatile float %129, float* %135, align 4, !tbaa !15
  store volatile float %132, float* %138, align 4, !tbaa !10
  store volatile float %134, float* %140, align 4, !tbaa !10
  %142 = icmp eq i32 %121, 0
  br i1 %142, label %143, label %115, !llvm.loop !19

143:                                              ; preds = %127, %115, %110
  br i1 %112, label %205, label %144

144:                                              ; preds = %143
  %145 = icmp eq i32 %113, 0
  br i1 %145, label %205, label %146

146:                                              ; preds = %144
  %147 = fneg contract float %35
  %148 = fneg contract float %37
  br label %149

149:                                              ; preds = %146, %201
  %150 = phi i32 [ 0, %146 ], [ %199, %201 ]
  %151 = phi float [ 0.000000e+00, %146 ], [ %198, %201 ]
  %152 = phi i32 [ 0, %146 ], [ %202, %201 ]
  %153 = zext i32 %152 to i64
  %154 = getelementptr inbounds %struct.mode, %struct.mode* %18, i64 %153
  %155 = getelementptr inbounds %struct.mode, %struct.mode* %154, i64 0, i32 2
  %156 = getelementptr inbounds [2 x float], [2 x float]* %155, i64 0, i64 0
  %157 = load volatile float, float* %156, align 4, !tbaa !10
  %158 = getelementptr inbounds [2 x float], [2 x float]* %155, i64 0, i64 1
  %159 = load volatile float, float* %158, align 4, !tbaa !10
  %160 = fmul float %159, %159
  %161 = tail call float @llvm.fma.f32(float %157, float %157, float %160) #3
  %162 = fcmp contract oeq float %161, 0.000000e+00
  br i1 %162, label %197, label %163

163:                                              ; preds = %149
  %164 = fmul float %37, %159
  %165 = tail call float @llvm.fma.f32(float %35, float %157, float %164) #3
  %166 = fdiv float %165, %161
  %167 = fcmp contract ole float %166, 1.000000e+00
  %168 = fcmp contract oge float %166, 5.000000e-01
  %169 = and i1 %167, %168
  br i1 %169, label %170, label %190

170:                                              ; preds = %163
  %171 = tail call float @llvm.fma.f32(float %166, float %157, float %147) #3
  %172 = tail call float @llvm.fma.f32(float %166, float %159, float %148) #3
  %173 = fmul float %172, %172
  %174 = tail call float @llvm.fma.f32(float %171, float %171, float %173) #3
  %175 = getelementptr inbounds %struct.mode, %struct.mode* %154, i64 0, i32 1
  %176 = load volatile float, float* %175, align 4, !tbaa !15
  %177 = fmul float %176, 4.000000e+00
  %178 = fmul float %166, %166
  %179 = fmul float %178, %177
  %180 = fcmp contract olt float %174, %179
  br i1 %180, label %181, label %185

181:                                              ; preds = %170
  %182 = getelementptr inbounds %struct.mode, %struct.mode* %154, i64 0, i32 0
  %183 = load volatile float, float* %182, align 4, !tbaa !13
  %184 = fcmp contract ult float %183, %6
  br i1 %184, label %185, label %186

185:                                              ; preds = %181, %170
  br label %186

186:                                              ; preds = %181, %185
  %187 = phi i32 [ %150, %185 ], [ 2, %181 ]
  %188 = phi i1 [ true, %185 ], [ false, %181 ]
  %189 = phi i32 [ 0, %185 ], [ 12, %181 ]
  br i1 %188, label %190, label %197

190:                                              ; preds = %186, %163
  %191 = phi i32 [ %187, %186 ], [ %150, %163 ]
  %192 = getelementptr inbounds %struct.mode, %struct.mode* %154, i64 0, i32 0
  %193 = load volatile float, float* %192, align 4, !tbaa !13
  %194 = fadd float %151, %193
  %195 = fcmp contract ogt float %194, %7
  %196 = select i1 %195, i32 16, i32 0
  br label %197

197:                                              ; preds = %186, %190, %149
  %198 = phi float [ %151, %149 ], [ %151, %186 ], [ %194, %190 ]
  %199 = phi i32 [ %150, %149 ], [ %187, %186 ], [ %191, %190 ]
  %200 = phi i32 [ 16, %149 ], [ %189, %186 ], [ %196, %190 ]
  switch i32 %200, label %222 [
    i32 0, label %201
    i32 16, label %204
    i32 12, label %205
  ]

201:                                              ; preds = %197
  %202 = add nuw i32 %152, 1
  %203 = icmp eq i32 %202, %113
  br i1 %203, label %204, label %149, !llvm.loop !20

204:                                              ; preds = %197, %201
  br label %205

205:                                              ; preds = %197, %204, %144, %143
  %206 = phi i32 [ 0, %143 ], [ 1, %144 ], [ 1, %204 ], [ %199, %197 ]
  %207 = shl i32 %29, 2
  %208 = or i32 %206, %207
  %209 = and i32 %30, 15
  %210 = icmp eq i32 %209, 15
  %211 = add nuw i32 %30, 1
  %212 = icmp eq i32 %211, %4
  %213 = or i1 %210, %212
  br i1 %213, label %214, label %220

214:                                              ; preds = %205
  %215 = lshr i32 %30, 4
  %216 = mul i32 %215, %15
  %217 = add i32 %216, %13
  %218 = zext i32 %217 to i64
  %219 = getelementptr inbounds i32, i32* %3, i64 %218
  store i32 %208, i32* %219, align 4, !tbaa !5
  br label %220

220:                                              ; preds = %205, %214
  %221 = icmp eq i32 %211, %4
  br i1 %221, label %25, label %27, !llvm.loop !21

222:                                              ; preds = %87, %197
  unreachable
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare float @llvm.fma.f32(float, float, float) #2

declare float @llvm.minnum.f32(float, float) #2

declare float @llvm.maxnum.f32(float, float) #2

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (%struct.float2*, %struct.mode*, i32*, i32*, i32, float, float, float)* @background_subtraction, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{i64 0, i64 4, !10, i64 4, i64 4, !10}
!10 = !{!11, !11, i64 0}
!11 = !{!"float", !7, i64 0}
!12 = !{i64 0, i64 4, !10}
!13 = !{!14, !11, i64 0}
!14 = !{!"_ZTS4mode", !11, i64 0, !11, i64 4, !7, i64 8}
!15 = !{!14, !11, i64 4}
!16 = distinct !{!16, !17, !18}
!17 = !{!"llvm.loop.mustprogress"}
!18 = !{!"llvm.loop.unroll.count", i32 1}
!19 = distinct !{!19, !17, !18}
!20 = distinct !{!20, !17, !18}
!21 = distinct !{!21, !17, !18}
