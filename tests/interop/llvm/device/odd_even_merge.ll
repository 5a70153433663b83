; SPDX-License-Identifier: BSL-1.0
; Compiled from odd_even_merge.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "odd_even_merge.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ14odd_even_mergeE6bucket = internal unnamed_addr addrspace(3) global [32 x [16 x i32]] undef, align 4
@_ZZ14odd_even_mergeE6merged = internal unnamed_addr addrspace(3) global [32 x [16 x i32]] undef, align 4

define dso_local void @odd_even_merge(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %6 = shl i32 %5, 5
  %7 = add i32 %6, %4
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds i32, i32* %0, i64 %8
  %10 = load i32, i32* %9, align 4, !tbaa !5
  %11 = shl i32 %7, 4
  %12 = zext i32 %4 to i64
  br label %14

13:                                               ; preds = %14
  tail call void @llvm.nvvm.barrier0()
  br label %27

14:                                               ; preds = %3, %14
  %15 = phi i32 [ %10, %3 ], [ %21, %14 ]
  %16 = phi i32 [ 0, %3 ], [ %25, %14 ]
  %17 = add nuw nsw i32 %16, %11
  %18 = zext i32 %17 to i64
  %19 = getelementptr inbounds i32, i32* %1, i64 %18
  %20 = load i32, i32* %19, align 4, !tbaa !5
  %21 = add i32 %20, %15
  %22 = zext i32 %16 to i64
  %23 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %12, i64 %22
  %24 = addrspacecast i32 addrspace(3)* %23 to i32*
  store i32 %21, i32* %24, align 4, !tbaa !5
  %25 = add nuw nsw i32 %16, 1
  %26 = icmp eq i32 %25, 16
  br i1 %26, label %13, label %14, !llvm.loop !9

27:                                               ; preds = %13, %99
  %28 = phi i32 [ 0, %13 ], [ %100, %99 ]
  %29 = xor i32 %28, %4
  %30 = and i32 %29, 1
  %31 = icmp eq i32 %30, 0
  %32 = select i1 %31, i32 1, i32 -1
  %33 = add i32 %32, %4
  %34 = icmp ult i32 %33, 32
  br i1 %34, label %35, label %88

35:                                               ; preds = %27
  %36 = zext i32 %33 to i64
  br i1 %31, label %37, label %62

37:                                               ; preds = %35, %57
  %38 = phi i32 [ %59, %57 ], [ 0, %35 ]
  %39 = phi i32 [ %58, %57 ], [ 0, %35 ]
  %40 = phi i32 [ %60, %57 ], [ 0, %35 ]
  %41 = zext i32 %38 to i64
  %42 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %12, i64 %41
  %43 = addrspacecast i32 addrspace(3)* %42 to i32*
  %44 = load i32, i32* %43, align 4, !tbaa !5
  %45 = zext i32 %39 to i64
  %46 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %36, i64 %45
  %47 = addrspacecast i32 addrspace(3)* %46 to i32*
  %48 = load i32, i32* %47, align 4, !tbaa !5
  %49 = zext i32 %40 to i64
  %50 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6merged, i64 0, i64 %12, i64 %49
  %51 = addrspacecast i32 addrspace(3)* %50 to i32*
  %52 = icmp ugt i32 %44, %48
  br i1 %52, label %55, label %53

53:                                               ; preds = %37
  store i32 %44, i32* %51, align 4, !tbaa !5
  %54 = add i32 %38, 1
  br label %57

55:                                               ; preds = %37
  store i32 %48, i32* %51, align 4, !tbaa !5
  %56 = add i32 %39, 1
  br label %57

57:                                               ; preds = %55, %53
  %58 = phi i32 [ %39, %53 ], [ %56, %55 ]
  %59 = phi i32 [ %54, %53 ], [ %38, %55 ]
  %60 = add nuw nsw i32 %40, 1
  %61 = icmp eq i32 %60, 16
  br i1 %61, label %88, label %37, !llvm.loop !12

62:                                               ; preds = %35, %83
  %63 = phi i32 [ %86, %83 ], [ 0, %35 ]
  %64 = phi i32 [ %85, %83 ], [ 15, %35 ]
  %65 = phi i32 [ %84, %83 ], [ 15, %35 ]
  %66 = zext i32 %65 to i64
  %67 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %12, i64 %66
  %68 = addrspacecast i32 addrspace(3)* %67 to i32*
  %69 = load i32, i32* %68, align 4, !tbaa !5
  %70 = zext i32 %64 to i64
  %71 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %36, i64 %70
  %72 = addrspacecast i32 addrspace(3)* %71 to i32*
  %73 = load i32, i32* %72, align 4, !tbaa !5
  %74 = xor i32 %63, 15
  %75 = zext i32 %74 to i64
  %76 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6merged, i64 0, i64 %12, i64 %75
  %77 = addrspacecast i32 addrspace(3)* %76 to i32*
  %78 = icmp ugt i32 %69, %73
  br i1 %78, label %79, label %81

79:                                               ; preds = %62
  store i32 %69, i32* %77, align 4, !tbaa !5
  %80 = add i32 %65, -1
  br label %83

81:                                               ; preds = %62
  store i32 %73, i32* %77, align 4, !tbaa !5
  %82 = add i32 %64, -1
  br label %83

83:                                               ; preds = %81, %79
  %84 = phi i32 [ %80, %79 ], [ %65, %81 ]
  %85 = phi i32 [ %64, %79 ], [ %82, %81 ]
  %86 = add nuw nsw i32 %63, 1
  %87 = icmp eq i32 %86, 16
  br i1 %87, label %88, label %62, !llvm.loop !13

88:                                               ; preds = %83, %57, %27
  tail call void @llvm.nvvm.barrier0()
  br i1 %34, label %89, label %99

89:                                               ; preds = %88, %89
  %90 = phi i32 [ %97, %89 ], [ 0, %88 ]
  %91 = zext i32 %90 to i64
  %92 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6merged, i64 0, i64 %12, i64 %91
  %93 = addrspacecast i32 addrspace(3)* %92 to i32*
  %94 = load i32, i32* %93, align 4, !tbaa !5
  %95 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %12, i64 %91
  %96 = addrspacecast i32 addrspace(3)* %95 to i32*
  store i32 %94, i32* %96, align 4, !tbaa !5
  %97 = add nuw nsw i32 %90, 1
  %98 = icmp eq i32 %97, 16
  br i1 %98, label %99, label %89, !llvm.loop !14

99:                                               ; preds = %89, %88
  tail call void @llvm.nvvm.barrier0()
  %100 = add nuw nsw i32 %28, 1
  %101 = icmp eq i32 %100, 32
  br i1 %101, label %103, label %27, !llvm.loop !15

102:                                              ; preds = %103
  ret void

103:                                              ; preds = %99, %103
  %104 = phi i32 [ %112, %103 ], [ 0, %99 ]
  %105 = zext i32 %104 to i64
  %106 = getelementptr inbounds [32 x [16 x i32]], [32 x [16 x i32]] addrspace(3)* @_ZZ14odd_even_mergeE6bucket, i64 0, i64 %12, i64 %105
  %107 = addrspacecast i32 addrspace(3)* %106 to i32*
  %108 = load i32, i32* %107, align 4, !tbaa !5
  %109 = add nuw nsw i32 %104, %11
  %110 = zext i32 %109 to i64
  %111 = getelementptr inbounds i32, i32* %2, i64 %110
  store i32 %108, i32* %111, align 4, !tbaa !5
  %112 = add nuw nsw i32 %104, 1
  %113 = icmp eq i32 %112, 16
  br i1 %113, label %102, label %103, !llvm.loop !16
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*)* @odd_even_merge, !"kernel", i32 1}
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
!15 = distinct !{!15, !10, !11}
!16 = distinct !{!16, !10, !11}
