; SPDX-License-Identifier: BSL-1.0
; Compiled from exception_loop.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "exception_loop.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @exception_loop(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef writeonly %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %8 = mul i32 %6, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %10 = add i32 %8, %9
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2
  %12 = mul i32 %11, %7
  %13 = zext i32 %10 to i64
  %14 = getelementptr inbounds i32, i32* %0, i64 %13
  %15 = load i32, i32* %14, align 4, !tbaa !6
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %19

17:                                               ; preds = %28, %5
  %18 = phi i32 [ %10, %5 ], [ %30, %28 ]
  br label %35

19:                                               ; preds = %5, %28
  %20 = phi i32 [ %30, %28 ], [ %10, %5 ]
  %21 = phi i32 [ %31, %28 ], [ 0, %5 ]
  %22 = mul i32 %12, %21
  %23 = add i32 %22, %10
  %24 = zext i32 %23 to i64
  %25 = getelementptr inbounds i32, i32* %1, i64 %24
  %26 = load i32, i32* %25, align 4, !tbaa !6
  %27 = icmp ugt i32 %26, %4
  br i1 %27, label %43, label %28

28:                                               ; preds = %19
  %29 = mul i32 %20, 1664525
  %30 = add i32 %26, %29
  %31 = add nuw i32 %21, 1
  %32 = icmp eq i32 %31, %15
  br i1 %32, label %17, label %19, !llvm.loop !10

33:                                               ; preds = %35
  %34 = getelementptr inbounds i32, i32* %2, i64 %13
  store i32 %40, i32* %34, align 4, !tbaa !6
  br label %48

35:                                               ; preds = %17, %35
  %36 = phi i32 [ %41, %35 ], [ 0, %17 ]
  %37 = phi i32 [ %40, %35 ], [ %18, %17 ]
  %38 = lshr i32 %37, 15
  %39 = xor i32 %38, %37
  %40 = mul i32 %39, -1640531535
  %41 = add nuw nsw i32 %36, 1
  %42 = icmp eq i32 %41, 8
  br i1 %42, label %33, label %35, !llvm.loop !13

43:                                               ; preds = %19
  %44 = add nuw i32 %21, 1
  %45 = getelementptr inbounds i32, i32* %3, i64 %13
  store i32 %44, i32* %45, align 4, !tbaa !6
  %46 = xor i32 %20, -1
  %47 = getelementptr inbounds i32, i32* %2, i64 %13
  store i32 %46, i32* %47, align 4, !tbaa !6
  br label %48

48:                                               ; preds = %33, %43
  ret void
}

define dso_local void @exception_loop_plain(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef readnone %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %8 = mul i32 %6, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %10 = add i32 %8, %9
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2
  %12 = mul i32 %11, %7
  %13 = zext i32 %10 to i64
  %14 = getelementptr inbounds i32, i32* %0, i64 %13
  %15 = load i32, i32* %14, align 4, !tbaa !6
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %29, label %17

17:                                               ; preds = %5, %17
  %18 = phi i32 [ %26, %17 ], [ %10, %5 ]
  %19 = phi i32 [ %27, %17 ], [ 0, %5 ]
  %20 = mul i32 %12, %19
  %21 = add i32 %20, %10
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds i32, i32* %1, i64 %22
  %24 = load i32, i32* %23, align 4, !tbaa !6
  %25 = mul i32 %18, 1664525
  %26 = add i32 %24, %25
  %27 = add nuw i32 %19, 1
  %28 = icmp eq i32 %27, %15
  br i1 %28, label %29, label %17, !llvm.loop !14

29:                                               ; preds = %17, %5
  %30 = phi i32 [ %10, %5 ], [ %26, %17 ]
  br label %31

31:                                               ; preds = %29, %31
  %32 = phi i32 [ %36, %31 ], [ %30, %29 ]
  %33 = phi i32 [ %37, %31 ], [ 0, %29 ]
  %34 = lshr i32 %32, 15
  %35 = xor i32 %34, %32
  %36 = mul i32 %35, -1640531535
  %37 = add nuw nsw i32 %33, 1
  %38 = icmp eq i32 %37, 8
  br i1 %38, label %39, label %31, !llvm.loop !15

39:                                               ; preds = %31
  %40 = getelementptr inbounds i32, i32* %2, i64 %13
  store i32 %36, i32* %40, align 4, !tbaa !6
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0, !1}

!0 = !{void (i32*, i32*, i32*, i32*, i32)* @exception_loop, !"kernel", i32 1}
!1 = !{void (i32*, i32*, i32*, i32*, i32)* @exception_loop_plain, !"kernel", i32 1}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C++ TBAA"}
!10 = distinct !{!10, !11, !12}
!11 = !{!"llvm.loop.mustprogress"}
!12 = !{!"llvm.loop.unroll.count", i32 1}
!13 = distinct !{!13, !11, !12}
!14 = distinct !{!14, !11, !12}
!15 = distinct !{!15, !11, !12}
