; SPDX-License-Identifier: BSL-1.0
; Compiled from merge_sort.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "merge_sort.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ10merge_sortE3key = internal unnamed_addr addrspace(3) global [2 x [256 x i32]] undef, align 4
@_ZZ10merge_sortE5value = internal unnamed_addr addrspace(3) global [2 x [256 x i32]] undef, align 4

define dso_local void @merge_sort(i32* nocapture noundef %0, i32* nocapture noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %5 = shl i32 %4, 8
  %6 = zext i32 %5 to i64
  %7 = getelementptr inbounds i32, i32* %0, i64 %6
  %8 = getelementptr inbounds i32, i32* %1, i64 %6
  %9 = zext i32 %3 to i64
  %10 = getelementptr inbounds i32, i32* %7, i64 %9
  %11 = load i32, i32* %10, align 4, !tbaa !5
  %12 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE3key, i64 0, i64 0, i64 %9
  %13 = addrspacecast i32 addrspace(3)* %12 to i32*
  store i32 %11, i32* %13, align 4, !tbaa !5
  %14 = getelementptr inbounds i32, i32* %8, i64 %9
  %15 = load i32, i32* %14, align 4, !tbaa !5
  %16 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE5value, i64 0, i64 0, i64 %9
  %17 = addrspacecast i32 addrspace(3)* %16 to i32*
  store i32 %15, i32* %17, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  br label %21

18:                                               ; preds = %55
  %19 = load i32, i32* %13, align 4, !tbaa !5
  store i32 %19, i32* %10, align 4, !tbaa !5
  %20 = load i32, i32* %17, align 4, !tbaa !5
  store i32 %20, i32* %14, align 4, !tbaa !5
  ret void

21:                                               ; preds = %71, %2
  %22 = phi i32 [ %11, %2 ], [ %74, %71 ]
  %23 = phi i32 [ 0, %2 ], [ %60, %71 ]
  %24 = phi i32 [ 1, %2 ], [ %26, %71 ]
  %25 = zext i32 %23 to i64
  %26 = shl nuw nsw i32 %24, 1
  %27 = sub nsw i32 0, %26
  %28 = and i32 %3, %27
  %29 = and i32 %24, %3
  %30 = icmp ne i32 %29, 0
  %31 = zext i32 %28 to i64
  %32 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE3key, i64 0, i64 %25, i64 %31
  %33 = select i1 %30, i32 0, i32 %24
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds i32, i32 addrspace(3)* %32, i64 %34
  br label %36

36:                                               ; preds = %21, %51
  %37 = phi i32 [ %24, %21 ], [ %53, %51 ]
  %38 = phi i32 [ 0, %21 ], [ %52, %51 ]
  %39 = add i32 %37, %38
  %40 = lshr i32 %39, 1
  %41 = zext i32 %40 to i64
  %42 = getelementptr inbounds i32, i32 addrspace(3)* %35, i64 %41
  %43 = addrspacecast i32 addrspace(3)* %42 to i32*
  %44 = load i32, i32* %43, align 4, !tbaa !5
  %45 = icmp ult i32 %44, %22
  br i1 %45, label %49, label %46

46:                                               ; preds = %36
  %47 = icmp eq i32 %44, %22
  %48 = select i1 %47, i1 %30, i1 false
  br i1 %48, label %49, label %51

49:                                               ; preds = %46, %36
  %50 = add nuw i32 %40, 1
  br label %51

51:                                               ; preds = %46, %49
  %52 = phi i32 [ %50, %49 ], [ %38, %46 ]
  %53 = phi i32 [ %37, %49 ], [ %40, %46 ]
  %54 = icmp ult i32 %52, %53
  br i1 %54, label %36, label %55, !llvm.loop !9

55:                                               ; preds = %51
  %56 = add nsw i32 %24, -1
  %57 = and i32 %56, %3
  %58 = add i32 %28, %57
  %59 = add i32 %58, %52
  %60 = sub i32 1, %23
  %61 = zext i32 %60 to i64
  %62 = zext i32 %59 to i64
  %63 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE3key, i64 0, i64 %61, i64 %62
  %64 = addrspacecast i32 addrspace(3)* %63 to i32*
  store i32 %22, i32* %64, align 4, !tbaa !5
  %65 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE5value, i64 0, i64 %25, i64 %9
  %66 = addrspacecast i32 addrspace(3)* %65 to i32*
  %67 = load i32, i32* %66, align 4, !tbaa !5
  %68 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE5value, i64 0, i64 %61, i64 %62
  %69 = addrspacecast i32 addrspace(3)* %68 to i32*
  store i32 %67, i32* %69, align 4, !tbaa !5
  tail call void @llvm.nvvm.barrier0()
  %70 = icmp ult i32 %24, 128
  br i1 %70, label %71, label %18, !llvm.loop !12

71:                                               ; preds = %55
  %72 = getelementptr inbounds [2 x [256 x i32]], [2 x [256 x i32]] addrspace(3)* @_ZZ10merge_sortE3key, i64 0, i64 %61, i64 %9
  %73 = addrspacecast i32 addrspace(3)* %72 to i32*
  %74 = load i32, i32* %73, align 4, !tbaa !5
  br label %21
}

declare void @llvm.nvvm.barrier0() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { convergent nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*)* @merge_sort, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
