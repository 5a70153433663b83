; SPDX-License-Identifier: BSL-1.0
; Compiled from nonbonded.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "nonbonded.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.atom = type { float, float, float, float }

@_ZZ9nonbondedE6others = internal unnamed_addr addrspace(3) global [64 x %struct.atom] undef, align 4

define dso_local void @nonbonded(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, i32* nocapture noundef readonly %2, i32* nocapture noundef readonly %3, float* nocapture noundef writeonly %4, float noundef %5, float noundef %6, float noundef %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #5
  %10 = and i32 %9, 1
  %11 = icmp eq i32 %10, 0
  %12 = add i32 %9, 1
  %13 = select i1 %11, i32 %12, i32 %9
  %14 = zext i32 %9 to i64
  %15 = getelementptr inbounds i32, i32* %2, i64 %14
  %16 = load i32, i32* %15, align 4, !tbaa !5
  %17 = zext i32 %12 to i64
  %18 = getelementptr inbounds i32, i32* %2, i64 %17
  %19 = load i32, i32* %18, align 4, !tbaa !5
  %20 = sub i32 %19, %16
  %21 = zext i32 %13 to i64
  %22 = getelementptr inbounds i32, i32* %2, i64 %21
  %23 = load i32, i32* %22, align 4, !tbaa !5
  %24 = add i32 %13, 1
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds i32, i32* %2, i64 %25
  %27 = load i32, i32* %26, align 4, !tbaa !5
  %28 = sub i32 %27, %23
  %29 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #5
  %30 = icmp ult i32 %29, %28
  br i1 %30, label %31, label %57

31:                                               ; preds = %8
  %32 = select contract i1 %11, float %5, float 0.000000e+00
  %33 = add i32 %23, %29
  %34 = mul i32 %33, 3
  %35 = zext i32 %34 to i64
  %36 = getelementptr inbounds float, float* %0, i64 %35
  %37 = load float, float* %36, align 4, !tbaa !9
  %38 = add i32 %34, 1
  %39 = zext i32 %38 to i64
  %40 = getelementptr inbounds float, float* %0, i64 %39
  %41 = load float, float* %40, align 4, !tbaa !9
  %42 = add i32 %34, 2
  %43 = zext i32 %42 to i64
  %44 = getelementptr inbounds float, float* %0, i64 %43
  %45 = load float, float* %44, align 4, !tbaa !9
  %46 = zext i32 %33 to i64
  %47 = getelementptr inbounds float, float* %1, i64 %46
  %48 = load float, float* %47, align 4, !tbaa !9
  %49 = zext i32 %29 to i64
  %50 = getelementptr inbounds [64 x %struct.atom], [64 x %struct.atom] addrspace(3)* @_ZZ9nonbondedE6others, i64 0, i64 %49
  %51 = addrspacecast %struct.atom addrspace(3)* %50 to %struct.atom*
  %52 = getelementptr inbounds %struct.atom, %struct.atom* %51, i64 0, i32 0
  %53 = getelementptr inbounds %struct.atom, %struct.atom* %51, i64 0, i32 1
  store float %41, float* %53, align 4, !tbaa.struct !11
  %54 = getelementptr inbounds %struct.atom, %struct.atom* %51, i64 0, i32 2
  store float %45, float* %54, align 4, !tbaa.struct !12
  %55 = getelementptr inbounds %struct.atom, %struct.atom* %51, i64 0, i32 3
  store float %48, float* %55, align 4, !tbaa.struct !13
  %56 = fadd contract float %32, %37
  store float %56, float* %52, align 4, !tbaa !14
  br label %57

57:                                               ; preds = %31, %8
  tail call void @llvm.nvvm.barrier0()
  %58 = icmp ult i32 %29, %20
  br i1 %58, label %59, label %161

59:                                               ; preds = %57
  %60 = add i32 %16, %29
  %61 = mul i32 %60, 3
  %62 = zext i32 %61 to i64
  %63 = getelementptr inbounds float, float* %0, i64 %62
  %64 = load float, float* %63, align 4, !tbaa !9
  %65 = add i32 %61, 1
  %66 = zext i32 %65 to i64
  %67 = getelementptr inbounds float, float* %0, i64 %66
  %68 = load float, float* %67, align 4, !tbaa !9
  %69 = add i32 %61, 2
  %70 = zext i32 %69 to i64
  %71 = getelementptr inbounds float, float* %0, i64 %70
  %72 = load float, float* %71, align 4, !tbaa !9
  %73 = zext i32 %60 to i64
  %74 = getelementptr inbounds float, float* %1, i64 %73
  %75 = load float, float* %74, align 4, !tbaa !9
  br i1 %11, label %79, label %76

76:                                               ; preds = %59
  %77 = getelementptr inbounds i32, i32* %3, i64 %73
  %78 = load i32, i32* %77, align 4, !tbaa !5
  br label %79

79:                                               ; preds = %59, %76
  %80 = phi i32 [ %78, %76 ], [ 0, %59 ]
  %81 = fmul float %6, %6
  %82 = icmp eq i32 %28, 0
  br i1 %82, label %87, label %83

83:                                               ; preds = %79
  %84 = xor i1 %11, true
  %85 = fmul contract float %81, 5.000000e-01
  %86 = fdiv contract float 2.000000e+00, %81
  br label %94

87:                                               ; preds = %155, %79
  %88 = phi float [ 0.000000e+00, %79 ], [ %156, %155 ]
  %89 = phi float [ 0.000000e+00, %79 ], [ %157, %155 ]
  %90 = phi float [ 0.000000e+00, %79 ], [ %158, %155 ]
  %91 = getelementptr inbounds float, float* %4, i64 %62
  store float %90, float* %91, align 4, !tbaa !9
  %92 = getelementptr inbounds float, float* %91, i64 1
  store float %89, float* %92, align 4, !tbaa !9
  %93 = getelementptr inbounds float, float* %91, i64 2
  store float %88, float* %93, align 4, !tbaa !9
  br label %161

94:                                               ; preds = %83, %155
  %95 = phi float [ 0.000000e+00, %83 ], [ %158, %155 ]
  %96 = phi float [ 0.000000e+00, %83 ], [ %157, %155 ]
  %97 = phi float [ 0.000000e+00, %83 ], [ %156, %155 ]
  %98 = phi i32 [ 0, %83 ], [ %159, %155 ]
  %99 = zext i32 %98 to i64
  %100 = getelementptr inbounds [64 x %struct.atom], [64 x %struct.atom] addrspace(3)* @_ZZ9nonbondedE6others, i64 0, i64 %99
  %101 = addrspacecast %struct.atom addrspace(3)* %100 to %struct.atom*
  %102 = getelementptr inbounds %struct.atom, %struct.atom* %101, i64 0, i32 0
  %103 = load float, float* %102, align 4, !tbaa.struct !16
  %104 = getelementptr inbounds %struct.atom, %struct.atom* %101, i64 0, i32 1
  %105 = load float, float* %104, align 4, !tbaa.struct !11
  %106 = getelementptr inbounds %struct.atom, %struct.atom* %101, i64 0, i32 2
  %107 = load float, float* %106, align 4, !tbaa.struct !12
  %108 = getelementptr inbounds %struct.atom, %struct.atom* %101, i64 0, i32 3
  %109 = load float, float* %108, align 4, !tbaa.struct !13
  %110 = fsub contract float %64, %103
  %111 = fsub contract float %68, %105
  %112 = fsub contract float %72, %107
  %113 = fmul float %112, %112
  %114 = tail call contract float @llvm.fma.f32(float %111, float %111, float %113) #5
  %115 = tail call contract float @llvm.fma.f32(float %110, float %110, float %114) #5
  %116 = fcmp contract olt float %115, %81
  br i1 %116, label %117, label %155

117:                                              ; preds = %94
  %118 = icmp eq i32 %98, %29
  %119 = select i1 %84, i1 %118, i1 false
  br i1 %119, label %155, label %120

120:                                              ; preds = %117
  %121 = tail call float @llvm.maxnum.f32(float %115, float 5.000000e-01) #5
  %122 = fdiv contract float 1.000000e+00, %121
  %123 = fmul float %122, %122
  %124 = fmul float %122, %123
  %125 = fmul float %75, %109
  %126 = tail call float @llvm.sqrt.f32(float %122) #5
  %127 = fmul float %122, %126
  %128 = fmul float %125, %127
  %129 = sub i32 %98, %29
  %130 = add i32 %129, 16
  %131 = icmp ult i32 %130, 32
  br i1 %131, label %132, label %138

132:                                              ; preds = %120
  %133 = shl nuw i32 1, %130
  %134 = and i32 %133, %80
  %135 = icmp eq i32 %134, 0
  br i1 %135, label %138, label %136

136:                                              ; preds = %132
  %137 = fmul float %128, %7
  br label %150

138:                                              ; preds = %132, %120
  %139 = tail call contract float @llvm.fma.f32(float %124, float 2.000000e+00, float -1.000000e+00) #5
  %140 = fmul float %124, %139
  %141 = fmul float %122, %140
  %142 = tail call contract float @llvm.fma.f32(float %141, float 2.400000e+01, float %128) #5
  %143 = fcmp contract ogt float %115, %85
  br i1 %143, label %144, label %150

144:                                              ; preds = %138
  %145 = fsub contract float %81, %115
  %146 = fmul float %86, %145
  %147 = fmul float %146, %142
  %148 = tail call contract float @llvm.fma.f32(float %146, float -2.000000e+00, float 3.000000e+00) #5
  %149 = fmul float %148, %147
  br label %150

150:                                              ; preds = %138, %144, %136
  %151 = phi float [ %137, %136 ], [ %149, %144 ], [ %142, %138 ]
  %152 = tail call contract float @llvm.fma.f32(float %110, float %151, float %95) #5
  %153 = tail call contract float @llvm.fma.f32(float %111, float %151, float %96) #5
  %154 = tail call contract float @llvm.fma.f32(float %112, float %151, float %97) #5
  br label %155

155:                                              ; preds = %117, %150, %94
  %156 = phi float [ %154, %150 ], [ %97, %94 ], [ %97, %117 ]
  %157 = phi float [ %153, %150 ], [ %96, %94 ], [ %96, %117 ]
  %158 = phi float [ %152, %150 ], [ %95, %94 ], [ %95, %117 ]
  %159 = add nuw i32 %98, 1
  %160 = icmp eq i32 %159, %28
  br i1 %160, label %87, label %94, !llvm.loop !17

161:                                              ; preds = %57, %87
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare float @llvm.fma.f32(float, float, float) #3

declare float @llvm.maxnum.f32(float, float) #4

declare float @llvm.sqrt.f32(float) #4

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #5 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, i32*, i32*, float*, float, float, float)* @nonbonded, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{!10, !10, i64 0}
!10 = !{!"float", !7, i64 0}
!11 = !{i64 0, i64 4, !9, i64 4, i64 4, !9, i64 8, i64 4, !9}
!12 = !{i64 0, i64 4, !9, i64 4, i64 4, !9}
!13 = !{i64 0, i64 4, !9}
!14 = !{!15, !10, i64 0}
!15 = !{!"_ZTS4atom", !10, i64 0, !10, i64 4, !10, i64 8, !10, i64 12}
!16 = !{i64 0, i64 4, !9, i64 4, i64 4, !9, i64 8, i64 4, !9, i64 12, i64 4, !9}
!17 = distinct !{!17, !18, !19}
!18 = !{!"llvm.loop.mustprogress"}
!19 = !{!"llvm.loop.unroll.count", i32 1}
