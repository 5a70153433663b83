; SPDX-License-Identifier: BSL-1.0
; Compiled from hotspot.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "hotspot.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ7hotspotE3now = internal unnamed_addr addrspace(3) global [16 x [16 x float]] undef, align 4

define dso_local void @hotspot(float* nocapture noundef readonly %0, float* nocapture noundef readonly %1, float* nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4, i32 noundef %5, float noundef %6, float noundef %7, float noundef %8, float noundef %9, float noundef %10) local_unnamed_addr #0 {
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #4
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y() #4
  %14 = mul i32 %5, -2
  %15 = add i32 %14, 16
  %16 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #4
  %17 = mul nsw i32 %15, %16
  %18 = sub nsw i32 %17, %5
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #4
  %20 = mul nsw i32 %15, %19
  %21 = sub nsw i32 %20, %5
  %22 = add nsw i32 %18, %12
  %23 = add nsw i32 %21, %13
  %24 = icmp sgt i32 %22, -1
  %25 = icmp slt i32 %22, %3
  %26 = icmp sgt i32 %23, -1
  %27 = icmp slt i32 %23, %4
  %28 = and i1 %24, %25
  %29 = select i1 %28, i1 %26, i1 false
  %30 = select i1 %29, i1 %27, i1 false
  %31 = sub nsw i32 0, %18
  %32 = icmp sgt i32 %31, 0
  %33 = select i1 %32, i32 %31, i32 0
  %34 = sub nsw i32 %3, %18
  %35 = icmp slt i32 %34, 16
  %36 = select i1 %35, i32 %34, i32 16
  %37 = add nsw i32 %36, -1
  %38 = sub nsw i32 0, %21
  %39 = icmp sgt i32 %38, 0
  %40 = select i1 %39, i32 %38, i32 0
  %41 = sub nsw i32 %4, %21
  %42 = icmp slt i32 %41, 16
  %43 = select i1 %42, i32 %41, i32 16
  %44 = add nsw i32 %43, -1
  %45 = add nsw i32 %12, -1
  %46 = icmp sgt i32 %45, %33
  %47 = select i1 %46, i32 %45, i32 %33
  %48 = add nsw i32 %12, 1
  %49 = icmp slt i32 %48, %37
  %50 = select i1 %49, i32 %48, i32 %37
  %51 = add nsw i32 %13, -1
  %52 = icmp sgt i32 %51, %40
  %53 = select i1 %52, i32 %51, i32 %40
  %54 = add nsw i32 %13, 1
  %55 = icmp slt i32 %54, %44
  %56 = select i1 %55, i32 %54, i32 %44
  br i1 %30, label %57, label %69

57:                                               ; preds = %11
  %58 = mul nsw i32 %23, %3
  %59 = add nsw i32 %58, %22
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds float, float* %1, i64 %60
  %62 = load float, float* %61, align 4, !tbaa !5
  %63 = sext i32 %13 to i64
  %64 = sext i32 %12 to i64
  %65 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %63, i64 %64
  %66 = addrspacecast float addrspace(3)* %65 to float*
  store float %62, float* %66, align 4, !tbaa !5
  %67 = getelementptr inbounds float, float* %0, i64 %60
  %68 = load float, float* %67, align 4, !tbaa !5
  br label %69

69:                                               ; preds = %57, %11
  %70 = phi float [ %68, %57 ], [ 0.000000e+00, %11 ]
  tail call void @llvm.nvvm.barrier0()
  %71 = icmp slt i32 %5, 1
  br i1 %71, label %89, label %72

72:                                               ; preds = %69
  %73 = sext i32 %13 to i64
  %74 = sext i32 %12 to i64
  %75 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %73, i64 %74
  %76 = addrspacecast float addrspace(3)* %75 to float*
  %77 = sext i32 %56 to i64
  %78 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %77, i64 %74
  %79 = addrspacecast float addrspace(3)* %78 to float*
  %80 = zext i32 %53 to i64
  %81 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %80, i64 %74
  %82 = addrspacecast float addrspace(3)* %81 to float*
  %83 = sext i32 %50 to i64
  %84 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %73, i64 %83
  %85 = addrspacecast float addrspace(3)* %84 to float*
  %86 = zext i32 %47 to i64
  %87 = getelementptr inbounds [16 x [16 x float]], [16 x [16 x float]] addrspace(3)* @_ZZ7hotspotE3now, i64 0, i64 %73, i64 %86
  %88 = addrspacecast float addrspace(3)* %87 to float*
  br label %92

89:                                               ; preds = %124, %69
  %90 = phi i1 [ false, %69 ], [ %121, %124 ]
  %91 = phi float [ 0.000000e+00, %69 ], [ %122, %124 ]
  br i1 %90, label %127, label %132

92:                                               ; preds = %72, %124
  %93 = phi float [ 0.000000e+00, %72 ], [ %122, %124 ]
  %94 = phi i32 [ 1, %72 ], [ %125, %124 ]
  %95 = icmp slt i32 %12, %94
  br i1 %95, label %120, label %96

96:                                               ; preds = %92
  %97 = sub nsw i32 16, %94
  %98 = icmp slt i32 %12, %97
  %99 = icmp sge i32 %13, %94
  %100 = and i1 %99, %98
  %101 = icmp slt i32 %13, %97
  %102 = and i1 %101, %100
  %103 = select i1 %102, i1 %30, i1 false
  br i1 %103, label %104, label %120

104:                                              ; preds = %96
  %105 = load float, float* %76, align 4, !tbaa !5
  %106 = fadd contract float %105, %105
  %107 = load float, float* %79, align 4, !tbaa !5
  %108 = load float, float* %82, align 4, !tbaa !5
  %109 = fadd contract float %107, %108
  %110 = fsub contract float %109, %106
  %111 = tail call contract float @llvm.fma.f32(float %110, float %8, float %70) #4
  %112 = load float, float* %85, align 4, !tbaa !5
  %113 = load float, float* %88, align 4, !tbaa !5
  %114 = fadd contract float %112, %113
  %115 = fsub contract float %114, %106
  %116 = tail call contract float @llvm.fma.f32(float %115, float %7, float %111) #4
  %117 = fsub contract float %10, %105
  %118 = tail call contract float @llvm.fma.f32(float %117, float %9, float %116) #4
  %119 = tail call contract float @llvm.fma.f32(float %6, float %118, float %105) #4
  br label %120

120:                                              ; preds = %96, %104, %92
  %121 = phi i1 [ true, %104 ], [ false, %96 ], [ false, %92 ]
  %122 = phi float [ %119, %104 ], [ %93, %96 ], [ %93, %92 ]
  tail call void @llvm.nvvm.barrier0()
  br i1 %121, label %123, label %124

123:                                              ; preds = %120
  store float %122, float* %76, align 4, !tbaa !5
  br label %124

124:                                              ; preds = %123, %120
  tail call void @llvm.nvvm.barrier0()
  %125 = add nuw i32 %94, 1
  %126 = icmp eq i32 %94, %5
  br i1 %126, label %89, label %92, !llvm.loop !9

127:                                              ; preds = %89
  %128 = mul nsw i32 %23, %3
  %129 = add nsw i32 %128, %22
  %130 = sext i32 %129 to i64
  %131 = getelementptr inbounds float, float* %2, i64 %130
  store float %91, float* %131, align 4, !tbaa !5
  br label %132

132:                                              ; preds = %127, %89
  ret void
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.y() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #2

declare float @llvm.fma.f32(float, float, float) #3

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #4 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (float*, float*, float*, i32, i32, i32, float, float, float, float, float)* @hotspot, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"float", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
