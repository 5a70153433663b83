; SPDX-License-Identifier: BSL-1.0
; Compiled from particle_filter.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "particle_filter.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = external dso_local local_unnamed_addr addrspace(3) global [0 x i32], align 4

define dso_local void @particle_filter(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %8
  %10 = getelementptr inbounds i32, i32 addrspace(3)* %9, i64 %8
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %12 = mul i32 %11, %7
  %13 = add i32 %12, %6
  %14 = sdiv i32 %4, 2
  %15 = icmp eq i32 %3, 0
  br i1 %15, label %34, label %16

16:                                               ; preds = %5
  %17 = zext i32 %13 to i64
  %18 = getelementptr inbounds i32, i32* %1, i64 %17
  %19 = load i32, i32* %18, align 4, !tbaa !5
  %20 = mul nsw i32 %4, %4
  %21 = zext i32 %6 to i64
  %22 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %21
  %23 = addrspacecast i32 addrspace(3)* %22 to i32*
  %24 = getelementptr inbounds i32, i32 addrspace(3)* %9, i64 %21
  %25 = addrspacecast i32 addrspace(3)* %24 to i32*
  %26 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %21
  %27 = addrspacecast i32 addrspace(3)* %26 to i32*
  %28 = icmp ugt i32 %7, 1
  %29 = add i32 %7, -1
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %30
  %32 = addrspacecast i32 addrspace(3)* %31 to i32*
  %33 = icmp eq i32 %7, 0
  br label %43

34:                                               ; preds = %125, %5
  %35 = phi i32 [ %14, %5 ], [ %135, %125 ]
  %36 = phi i32 [ %14, %5 ], [ %132, %125 ]
  %37 = shl i32 %13, 1
  %38 = zext i32 %37 to i64
  %39 = getelementptr inbounds i32, i32* %2, i64 %38
  store i32 %36, i32* %39, align 4, !tbaa !5
  %40 = or i32 %37, 1
  %41 = zext i32 %40 to i64
  %42 = getelementptr inbounds i32, i32* %2, i64 %41
  store i32 %35, i32* %42, align 4, !tbaa !5
  ret void

43:                                               ; preds = %16, %125
  %44 = phi i32 [ %19, %16 ], [ %52, %125 ]
  %45 = phi i32 [ %14, %16 ], [ %132, %125 ]
  %46 = phi i32 [ %14, %16 ], [ %135, %125 ]
  %47 = phi i32 [ 0, %16 ], [ %136, %125 ]
  %48 = mul i32 %20, %47
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds i32, i32* %0, i64 %49
  %51 = mul i32 %44, 1664525
  %52 = add i32 %51, 1013904223
  %53 = lshr i32 %52, 24
  %54 = and i32 %53, 7
  %55 = add i32 %45, -3
  %56 = add i32 %55, %54
  %57 = lshr i32 %52, 28
  %58 = and i32 %57, 7
  %59 = add i32 %46, -3
  %60 = add i32 %59, %58
  br label %62

61:                                               ; preds = %88
  store i32 %89, i32* %23, align 4, !tbaa !5
  store i32 %56, i32* %25, align 4, !tbaa !5
  store i32 %60, i32* %27, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  br i1 %28, label %100, label %92

62:                                               ; preds = %43, %88
  %63 = phi i32 [ -1, %43 ], [ %90, %88 ]
  %64 = phi i32 [ 1, %43 ], [ %89, %88 ]
  %65 = add nsw i32 %63, %60
  %66 = icmp sgt i32 %65, -1
  %67 = icmp slt i32 %65, %4
  %68 = and i1 %66, %67
  br i1 %68, label %69, label %88

69:                                               ; preds = %62
  %70 = mul nsw i32 %65, %4
  br label %71

71:                                               ; preds = %69, %84
  %72 = phi i32 [ -1, %69 ], [ %86, %84 ]
  %73 = phi i32 [ %64, %69 ], [ %85, %84 ]
  %74 = add i32 %72, %56
  %75 = icmp sgt i32 %74, -1
  %76 = icmp slt i32 %74, %4
  %77 = and i1 %75, %76
  br i1 %77, label %78, label %84

78:                                               ; preds = %71
  %79 = add i32 %74, %70
  %80 = sext i32 %79 to i64
  %81 = getelementptr inbounds i32, i32* %50, i64 %80
  %82 = load i32, i32* %81, align 4, !tbaa !5
  %83 = add i32 %82, %73
  br label %84

84:                                               ; preds = %71, %78
  %85 = phi i32 [ %83, %78 ], [ %73, %71 ]
  %86 = add nsw i32 %72, 1
  %87 = icmp eq i32 %86, 2
  br i1 %87, label %88, label %71, !llvm.loop !9

88:                                               ; preds = %84, %62
  %89 = phi i32 [ %64, %62 ], [ %85, %84 ]
  %90 = add nsw i32 %63, 1
  %91 = icmp eq i32 %90, 2
  br i1 %91, label %61, label %62, !llvm.loop !12

92:                                               ; preds = %109, %61
  %93 = load i32, i32* %32, align 4, !tbaa !5
  %94 = mul i32 %93, %6
  %95 = load i32, i32* %1, align 4, !tbaa !5
  %96 = urem i32 %95, %93
  %97 = add i32 %96, %94
  %98 = udiv i32 %97, %7
  %99 = add i32 %98, 1
  br i1 %33, label %125, label %115

100:                                              ; preds = %61, %109
  %101 = phi i32 [ %113, %109 ], [ 1, %61 ]
  %102 = icmp ult i32 %6, %101
  br i1 %102, label %109, label %103

103:                                              ; preds = %100
  %104 = sub i32 %6, %101
  %105 = zext i32 %104 to i64
  %106 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %105
  %107 = addrspacecast i32 addrspace(3)* %106 to i32*
  %108 = load i32, i32* %107, align 4, !tbaa !5
  br label %109

109:                                              ; preds = %100, %103
  %110 = phi i32 [ %108, %103 ], [ 0, %100 ]
  tail call void @llvm.nvvm.barrier0()
  %111 = load i32, i32* %23, align 4, !tbaa !5
  %112 = add i32 %111, %110
  store i32 %112, i32* %23, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %113 = shl i32 %101, 1
  %114 = icmp ult i32 %113, %7
  br i1 %114, label %100, label %92, !llvm.loop !13

115:                                              ; preds = %92, %122
  %116 = phi i32 [ %123, %122 ], [ 0, %92 ]
  %117 = zext i32 %116 to i64
  %118 = getelementptr inbounds [0 x i32], [0 x i32] addrspace(3)* @shared, i64 0, i64 %117
  %119 = addrspacecast i32 addrspace(3)* %118 to i32*
  %120 = load i32, i32* %119, align 4, !tbaa !5
  %121 = icmp ult i32 %120, %99
  br i1 %121, label %122, label %125

122:                                              ; preds = %115
  %123 = add nuw i32 %116, 1
  %124 = icmp eq i32 %123, %7
  br i1 %124, label %125, label %115, !llvm.loop !14

125:                                              ; preds = %122, %115, %92
  %126 = phi i32 [ -1, %92 ], [ -1, %122 ], [ %116, %115 ]
  %127 = icmp eq i32 %126, -1
  %128 = select i1 %127, i32 %29, i32 %126
  %129 = sext i32 %128 to i64
  %130 = getelementptr inbounds i32, i32 addrspace(3)* %9, i64 %129
  %131 = addrspacecast i32 addrspace(3)* %130 to i32*
  %132 = load i32, i32* %131, align 4, !tbaa !5
  %133 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 %129
  %134 = addrspacecast i32 addrspace(3)* %133 to i32*
  %135 = load i32, i32* %134, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %136 = add nuw i32 %47, 1
  %137 = icmp eq i32 %136, %3
  br i1 %137, label %34, label %43, !llvm.loop !15
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32, i32)* @particle_filter, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10}
!14 = distinct !{!14, !10, !11}
!15 = distinct !{!15, !10, !11}
