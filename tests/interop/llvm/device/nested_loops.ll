; SPDX-License-Identifier: BSL-1.0
; Compiled from nested_loops.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "nested_loops.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @nested_loops(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef writeonly %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %8 = mul i32 %6, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %10 = add i32 %8, %9
  %11 = icmp ult i32 %10, %4
  br i1 %11, label %12, label %57

12:                                               ; preds = %5
  %13 = add nuw i32 %10, 1
  %14 = zext i32 %13 to i64
  %15 = getelementptr inbounds i32, i32* %0, i64 %14
  %16 = load i32, i32* %15, align 4, !tbaa !5
  %17 = zext i32 %10 to i64
  %18 = getelementptr inbounds i32, i32* %0, i64 %17
  %19 = load i32, i32* %18, align 4, !tbaa !5
  %20 = icmp ult i32 %19, %16
  br i1 %20, label %26, label %21

21:                                               ; preds = %52, %12
  %22 = phi i32 [ 0, %12 ], [ %53, %52 ]
  %23 = phi i32 [ 0, %12 ], [ %54, %52 ]
  %24 = getelementptr inbounds i32, i32* %2, i64 %17
  store i32 %22, i32* %24, align 4, !tbaa !5
  %25 = getelementptr inbounds i32, i32* %3, i64 %17
  store i32 %23, i32* %25, align 4, !tbaa !5
  br label %57

26:                                               ; preds = %12, %52
  %27 = phi i32 [ %55, %52 ], [ %19, %12 ]
  %28 = phi i32 [ %54, %52 ], [ 0, %12 ]
  %29 = phi i32 [ %53, %52 ], [ 0, %12 ]
  %30 = zext i32 %27 to i64
  %31 = getelementptr inbounds i32, i32* %1, i64 %30
  %32 = load i32, i32* %31, align 4, !tbaa !5
  %33 = icmp ugt i32 %32, 1
  br i1 %33, label %34, label %52

34:                                               ; preds = %26, %47
  %35 = phi i32 [ %49, %47 ], [ %32, %26 ]
  %36 = phi i32 [ %48, %47 ], [ %28, %26 ]
  %37 = phi i32 [ %50, %47 ], [ %29, %26 ]
  %38 = and i32 %35, 1
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %45, label %40

40:                                               ; preds = %34
  %41 = mul i32 %35, 3
  %42 = add i32 %41, 1
  %43 = icmp ugt i32 %36, %42
  %44 = select i1 %43, i32 %36, i32 %42
  br label %47

45:                                               ; preds = %34
  %46 = lshr i32 %35, 1
  br label %47

47:                                               ; preds = %45, %40
  %48 = phi i32 [ %44, %40 ], [ %36, %45 ]
  %49 = phi i32 [ %42, %40 ], [ %46, %45 ]
  %50 = add i32 %37, 1
  %51 = icmp ugt i32 %49, 1
  br i1 %51, label %34, label %52, !llvm.loop !9

52:                                               ; preds = %47, %26
  %53 = phi i32 [ %29, %26 ], [ %50, %47 ]
  %54 = phi i32 [ %28, %26 ], [ %48, %47 ]
  %55 = add nuw i32 %27, 1
  %56 = icmp eq i32 %55, %16
  br i1 %56, label %21, label %26, !llvm.loop !12

57:                                               ; preds = %5, %21
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32)* @nested_loops, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!12 = distinct !{!12, !10, !11}
