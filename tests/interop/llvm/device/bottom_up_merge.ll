; SPDX-License-Identifier: BSL-1.0
; Compiled from bottom_up_merge.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "bottom_up_merge.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ15bottom_up_mergeE3key = internal unnamed_addr addrspace(3) global [2 x [129 x i32]] undef, align 4
@_ZZ15bottom_up_mergeE5value = internal unnamed_addr addrspace(3) global [2 x [128 x i32]] undef, align 4

define dso_local void @bottom_up_merge(i32* nocapture noundef %0, i32* nocapture noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %5 = shl i32 %4, 7
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i32, i32* %0, i64 %6
  %8 = getelementptr inbounds i32, i32* %1, i64 %6
  %9 = icmp ult i32 %3, 128
  br i1 %9, label %12, label %10

10:                                               ; preds = %12, %2
  %11 = icmp eq i32 %3, 0
  br i1 %11, label %25, label %26

12:                                               ; preds = %2, %12
  %13 = phi i32 [ %23, %12 ], [ %3, %2 ]
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds i32, i32* %7, i64 %14
  %16 = load i32, i32* %15, align 4, !tbaa !5
  %17 = getelementptr inbounds [2 x [129 x i32]], [2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key, i64 0, i64 0, i64 %14
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %16, i32* %18, align 4, !tbaa !5
  %19 = getelementptr inbounds i32, i32* %8, i64 %14
  %20 = load i32, i32* %19, align 4, !tbaa !5
  %21 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 0, i64 %14
  %22 = addrspacecast i32 addrspace(3)* %21 to i32*
  store i32 %20, i32* %22, align 4, !tbaa !5
  %23 = add nuw nsw i32 %13, 64
  %24 = icmp ult i32 %13, 64
  br i1 %24, label %12, label %10, !llvm.loop !9

25:                                               ; preds = %10
  store i32 0, i32* getelementptr inbounds ([2 x [129 x i32]], [2 x [129 x i32]]* addrspacecast ([2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key to [2 x [129 x i32]]*), i64 0, i64 1, i64 128), align 4, !tbaa !5
  store i32 0, i32* getelementptr inbounds ([2 x [129 x i32]], [2 x [129 x i32]]* addrspacecast ([2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key to [2 x [129 x i32]]*), i64 0, i64 0, i64 128), align 4, !tbaa !5
  br label %26

26:                                               ; preds = %25, %10
  tail call void @llvm.nvvm.barrier0()
  br label %28

27:                                               ; preds = %82
  br i1 %9, label %86, label %85

28:                                               ; preds = %26, %82
  %29 = phi i32 [ 0, %26 ], [ %83, %82 ]
  %30 = phi i32 [ 1, %26 ], [ %31, %82 ]
  %31 = shl nuw nsw i32 %30, 1
  %32 = mul i32 %31, %3
  %33 = icmp ult i32 %32, 128
  br i1 %33, label %36, label %34

34:                                               ; preds = %28
  %35 = sub i32 1, %29
  br label %82

36:                                               ; preds = %28
  %37 = zext i32 %29 to i64
  %38 = sub i32 1, %29
  %39 = zext i32 %38 to i64
  %40 = add nuw nsw i32 %32, %30
  %41 = add i32 %40, %30
  %42 = icmp ult i32 %32, %41
  br i1 %42, label %43, label %82

43:                                               ; preds = %36, %77
  %44 = phi i32 [ %80, %77 ], [ %32, %36 ]
  %45 = phi i32 [ %79, %77 ], [ %40, %36 ]
  %46 = phi i32 [ %78, %77 ], [ %32, %36 ]
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds [2 x [129 x i32]], [2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key, i64 0, i64 %37, i64 %47
  %49 = addrspacecast i32 addrspace(3)* %48 to i32*
  %50 = load i32, i32* %49, align 4, !tbaa !5
  %51 = zext i32 %45 to i64
  %52 = getelementptr inbounds [2 x [129 x i32]], [2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key, i64 0, i64 %37, i64 %51
  %53 = addrspacecast i32 addrspace(3)* %52 to i32*
  %54 = load i32, i32* %53, align 4, !tbaa !5
  %55 = icmp eq i32 %45, %41
  %56 = icmp ne i32 %46, %40
  %57 = icmp ule i32 %50, %54
  %58 = and i1 %56, %57
  %59 = or i1 %55, %58
  %60 = zext i32 %44 to i64
  %61 = getelementptr inbounds [2 x [129 x i32]], [2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key, i64 0, i64 %39, i64 %60
  %62 = addrspacecast i32 addrspace(3)* %61 to i32*
  br i1 %59, label %63, label %70

63:                                               ; preds = %43
  store i32 %50, i32* %62, align 4, !tbaa !5
  %64 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 %37, i64 %47
  %65 = addrspacecast i32 addrspace(3)* %64 to i32*
  %66 = load i32, i32* %65, align 4, !tbaa !5
  %67 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 %39, i64 %60
  %68 = addrspacecast i32 addrspace(3)* %67 to i32*
  store i32 %66, i32* %68, align 4, !tbaa !5
  %69 = add i32 %46, 1
  br label %77

70:                                               ; preds = %43
  store i32 %54, i32* %62, align 4, !tbaa !5
  %71 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 %37, i64 %51
  %72 = addrspacecast i32 addrspace(3)* %71 to i32*
  %73 = load i32, i32* %72, align 4, !tbaa !5
  %74 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 %39, i64 %60
  %75 = addrspacecast i32 addrspace(3)* %74 to i32*
  store i32 %73, i32* %75, align 4, !tbaa !5
  %76 = add i32 %45, 1
  br label %77

77:                                               ; preds = %70, %63
  %78 = phi i32 [ %69, %63 ], [ %46, %70 ]
  %79 = phi i32 [ %45, %63 ], [ %76, %70 ]
  %80 = add nuw i32 %44, 1
  %81 = icmp eq i32 %80, %41
  br i1 %81, label %82, label %43, !llvm.loop !11

82:                                               ; preds = %77, %34, %36
  %83 = phi i32 [ %35, %34 ], [ %38, %36 ], [ %38, %77 ]
  tail call void @llvm.nvvm.barrier0()
  %84 = icmp ult i32 %30, 64
  br i1 %84, label %28, label %27, !llvm.loop !13

85:                                               ; preds = %86, %27
  ret void

86:                                               ; preds = %27, %86
  %87 = phi i32 [ %97, %86 ], [ %3, %27 ]
  %88 = zext i32 %87 to i64
  %89 = getelementptr inbounds [2 x [129 x i32]], [2 x [129 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE3key, i64 0, i64 1, i64 %88
  %90 = addrspacecast i32 addrspace(3)* %89 to i32*
  %91 = load i32, i32* %90, align 4, !tbaa !5
  %92 = getelementptr inbounds i32, i32* %7, i64 %88
  store i32 %91, i32* %92, align 4, !tbaa !5
  %93 = getelementptr inbounds [2 x [128 x i32]], [2 x [128 x i32]] addrspace(3)* @_ZZ15bottom_up_mergeE5value, i64 0, i64 1, i64 %88
  %94 = addrspacecast i32 addrspace(3)* %93 to i32*
  %95 = load i32, i32* %94, align 4, !tbaa !5
  %96 = getelementptr inbounds i32, i32* %8, i64 %88
  store i32 %95, i32* %96, align 4, !tbaa !5
  %97 = add nuw nsw i32 %87, 64
  %98 = icmp ult i32 %87, 64
  br i1 %98, label %86, label %85, !llvm.loop !14
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*)* @bottom_up_merge, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.mustprogress"}
!11 = distinct !{!11, !10, !12}
!12 = !{!"llvm.loop.unroll.count", i32 1}
!13 = distinct !{!13, !10, !12}
!14 = distinct !{!14, !10}
