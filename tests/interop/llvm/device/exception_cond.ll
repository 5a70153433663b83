; SPDX-License-Identifier: BSL-1.0
; Compiled from exception_cond.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "exception_cond.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @exception_cond(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32* noundef %2, i32* nocapture noundef writeonly %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %11 = add i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2
  %13 = mul i32 %12, %8
  %14 = shl i32 %11, 2
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %2, i64 %15
  %17 = icmp eq i32 %4, 0
  br i1 %17, label %18, label %20

18:                                               ; preds = %6
  %19 = zext i32 %11 to i64
  br label %82

20:                                               ; preds = %6
  %21 = getelementptr inbounds i32, i32* %16, i64 1
  %22 = getelementptr inbounds i32, i32* %16, i64 2
  %23 = getelementptr inbounds i32, i32* %16, i64 3
  %24 = zext i32 %11 to i64
  %25 = getelementptr inbounds i32, i32* %3, i64 %24
  br label %26

26:                                               ; preds = %78, %20
  %27 = phi i32 [ %11, %20 ], [ %80, %78 ]
  %28 = phi i32 [ 0, %20 ], [ %79, %78 ]
  %29 = mul i32 %13, %28
  %30 = add i32 %29, %11
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds i32, i32* %0, i64 %31
  %33 = load i32, i32* %32, align 4, !tbaa !6
  %34 = and i32 %33, 1
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %56, label %36

36:                                               ; preds = %26
  %37 = and i32 %33, 2
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %46, label %39

39:                                               ; preds = %36
  %40 = load volatile i32, i32* %16, align 4, !tbaa !6
  %41 = add i32 %40, 1
  store volatile i32 %41, i32* %16, align 4, !tbaa !6
  %42 = icmp ugt i32 %33, %5
  br i1 %42, label %73, label %43

43:                                               ; preds = %39
  %44 = lshr i32 %33, 3
  %45 = add i32 %44, %27
  br label %53

46:                                               ; preds = %36
  %47 = load volatile i32, i32* %21, align 4, !tbaa !6
  %48 = add i32 %47, %33
  store volatile i32 %48, i32* %21, align 4, !tbaa !6
  %49 = udiv i32 %33, 3
  %50 = icmp ugt i32 %49, %5
  br i1 %50, label %73, label %51

51:                                               ; preds = %46
  %52 = xor i32 %33, %27
  br label %53

53:                                               ; preds = %51, %43
  %54 = phi i32 [ %45, %43 ], [ %52, %51 ]
  %55 = mul i32 %54, -1640531535
  store volatile i32 %55, i32* %22, align 4, !tbaa !6
  br label %63

56:                                               ; preds = %26
  %57 = load volatile i32, i32* %23, align 4, !tbaa !6
  %58 = add i32 %57, 1
  store volatile i32 %58, i32* %23, align 4, !tbaa !6
  %59 = udiv i32 %33, 5
  %60 = icmp ugt i32 %59, %5
  br i1 %60, label %73, label %61

61:                                               ; preds = %56
  %62 = sub i32 %27, %33
  br label %63

63:                                               ; preds = %61, %53
  %64 = phi i32 [ %55, %53 ], [ %62, %61 ]
  br label %65

65:                                               ; preds = %63, %65
  %66 = phi i32 [ %71, %65 ], [ 0, %63 ]
  %67 = phi i32 [ %70, %65 ], [ %64, %63 ]
  %68 = lshr i32 %67, 15
  %69 = xor i32 %68, %67
  %70 = mul i32 %69, -2048144777
  %71 = add nuw nsw i32 %66, 1
  %72 = icmp eq i32 %71, 4
  br i1 %72, label %76, label %65, !llvm.loop !10

73:                                               ; preds = %56, %46, %39
  %74 = add nuw i32 %28, 1
  store i32 %74, i32* %25, align 4, !tbaa !6
  %75 = xor i32 %27, -1
  br label %78

76:                                               ; preds = %65
  %77 = add nuw i32 %28, 1
  br label %78

78:                                               ; preds = %76, %73
  %79 = phi i32 [ %77, %76 ], [ %74, %73 ]
  %80 = phi i32 [ %70, %76 ], [ %75, %73 ]
  %81 = icmp eq i32 %79, %4
  br i1 %81, label %82, label %26, !llvm.loop !13

82:                                               ; preds = %78, %18
  %83 = phi i64 [ %19, %18 ], [ %24, %78 ]
  %84 = phi i32 [ %11, %18 ], [ %80, %78 ]
  %85 = getelementptr inbounds i32, i32* %1, i64 %83
  store i32 %84, i32* %85, align 4, !tbaa !6
  ret void
}

define dso_local void @exception_cond_plain(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32* noundef %2, i32* nocapture noundef readnone %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %11 = add i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2
  %13 = mul i32 %12, %8
  %14 = shl i32 %11, 2
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %2, i64 %15
  %17 = icmp eq i32 %4, 0
  br i1 %17, label %64, label %18

18:                                               ; preds = %6
  %19 = getelementptr inbounds i32, i32* %16, i64 1
  %20 = getelementptr inbounds i32, i32* %16, i64 2
  %21 = getelementptr inbounds i32, i32* %16, i64 3
  br label %22

22:                                               ; preds = %53, %18
  %23 = phi i32 [ %11, %18 ], [ %61, %53 ]
  %24 = phi i32 [ 0, %18 ], [ %54, %53 ]
  %25 = mul i32 %13, %24
  %26 = add i32 %25, %11
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds i32, i32* %0, i64 %27
  %29 = load i32, i32* %28, align 4, !tbaa !6
  %30 = and i32 %29, 1
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %49, label %32

32:                                               ; preds = %22
  %33 = and i32 %29, 2
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %40, label %35

35:                                               ; preds = %32
  %36 = load volatile i32, i32* %16, align 4, !tbaa !6
  %37 = add i32 %36, 1
  store volatile i32 %37, i32* %16, align 4, !tbaa !6
  %38 = lshr i32 %29, 3
  %39 = add i32 %38, %23
  br label %44

40:                                               ; preds = %32
  %41 = load volatile i32, i32* %19, align 4, !tbaa !6
  %42 = add i32 %41, %29
  store volatile i32 %42, i32* %19, align 4, !tbaa !6
  %43 = xor i32 %29, %23
  br label %44

44:                                               ; preds = %40, %35
  %45 = phi i32 [ %39, %35 ], [ %43, %40 ]
  %46 = mul i32 %45, -1640531535
  store volatile i32 %46, i32* %20, align 4, !tbaa !6
  br label %47

47:                                               ; preds = %49, %44
  %48 = phi i32 [ %46, %44 ], [ %52, %49 ]
  br label %56

49:                                               ; preds = %22
  %50 = load volatile i32, i32* %21, align 4, !tbaa !6
  %51 = add i32 %50, 1
  store volatile i32 %51, i32* %21, align 4, !tbaa !6
  %52 = sub i32 %23, %29
  br label %47

53:                                               ; preds = %56
  %54 = add nuw i32 %24, 1
  %55 = icmp eq i32 %54, %4
  br i1 %55, label %64, label %22, !llvm.loop !14

56:                                               ; preds = %47, %56
  %57 = phi i32 [ %62, %56 ], [ 0, %47 ]
  %58 = phi i32 [ %61, %56 ], [ %48, %47 ]
  %59 = lshr i32 %58, 15
  %60 = xor i32 %59, %58
  %61 = mul i32 %60, -2048144777
  %62 = add nuw nsw i32 %57, 1
  %63 = icmp eq i32 %62, 4
  br i1 %63, label %53, label %56, !llvm.loop !15

64:                                               ; preds = %53, %6
  %65 = phi i32 [ %11, %6 ], [ %61, %53 ]
  %66 = zext i32 %11 to i64
  %67 = getelementptr inbounds i32, i32* %1, i64 %66
  store i32 %65, i32* %67, align 4, !tbaa !6
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0, !1}

!0 = !{void (i32*, i32*, i32*, i32*, i32, i32)* @exception_cond, !"kernel", i32 1}
!1 = !{void (i32*, i32*, i32*, i32*, i32, i32)* @exception_cond_plain, !"kernel", i32 1}
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
