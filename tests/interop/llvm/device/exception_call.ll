; SPDX-License-Identifier: BSL-1.0
; Compiled from exception_call.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "exception_call.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.checked = type { i32, i32 }

$_Z4stepILb1EE7checkedjjPVj = comdat any

$_Z4stepILb0EE7checkedjjPVj = comdat any

define dso_local void @exception_call(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32* noundef %2, i32* nocapture noundef writeonly %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %11 = add i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3
  %13 = mul i32 %12, %8
  %14 = shl i32 %11, 2
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %2, i64 %15
  %17 = icmp eq i32 %4, 0
  br i1 %17, label %18, label %20

18:                                               ; preds = %6
  %19 = zext i32 %11 to i64
  br label %71

20:                                               ; preds = %6
  %21 = getelementptr inbounds i32, i32* %16, i64 2
  %22 = getelementptr inbounds i32, i32* %16, i64 3
  %23 = zext i32 %11 to i64
  %24 = getelementptr inbounds i32, i32* %3, i64 %23
  br label %25

25:                                               ; preds = %67, %20
  %26 = phi i32 [ %11, %20 ], [ %69, %67 ]
  %27 = phi i32 [ 0, %20 ], [ %68, %67 ]
  %28 = mul i32 %13, %27
  %29 = add i32 %28, %11
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds i32, i32* %0, i64 %30
  %32 = load i32, i32* %31, align 4, !tbaa !6
  %33 = and i32 %32, 16
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %43, label %35

35:                                               ; preds = %25
  %36 = load volatile i32, i32* %21, align 4, !tbaa !6
  %37 = add i32 %36, 1
  store volatile i32 %37, i32* %21, align 4, !tbaa !6
  %38 = tail call %struct.checked @_Z4stepILb1EE7checkedjjPVj(i32 noundef %32, i32 noundef %5, i32* noundef %16) #3
  %39 = extractvalue %struct.checked %38, 1
  %40 = icmp eq i32 %39, 0
  %41 = extractvalue %struct.checked %38, 0
  %42 = add i32 %41, %26
  br i1 %40, label %52, label %62

43:                                               ; preds = %25
  %44 = load volatile i32, i32* %22, align 4, !tbaa !6
  %45 = add i32 %44, %32
  store volatile i32 %45, i32* %22, align 4, !tbaa !6
  %46 = lshr i32 %32, 1
  %47 = tail call %struct.checked @_Z4stepILb1EE7checkedjjPVj(i32 noundef %46, i32 noundef %5, i32* noundef %16) #3
  %48 = extractvalue %struct.checked %47, 1
  %49 = icmp eq i32 %48, 0
  %50 = extractvalue %struct.checked %47, 0
  %51 = xor i32 %50, %26
  br i1 %49, label %52, label %62

52:                                               ; preds = %43, %35
  %53 = phi i32 [ %42, %35 ], [ %51, %43 ]
  br label %54

54:                                               ; preds = %52, %54
  %55 = phi i32 [ %60, %54 ], [ 0, %52 ]
  %56 = phi i32 [ %59, %54 ], [ %53, %52 ]
  %57 = lshr i32 %56, 13
  %58 = xor i32 %57, %56
  %59 = mul i32 %58, -1028477379
  %60 = add nuw nsw i32 %55, 1
  %61 = icmp eq i32 %60, 4
  br i1 %61, label %65, label %54, !llvm.loop !10

62:                                               ; preds = %43, %35
  %63 = add nuw i32 %27, 1
  store i32 %63, i32* %24, align 4, !tbaa !6
  %64 = xor i32 %26, -1
  br label %67

65:                                               ; preds = %54
  %66 = add nuw i32 %27, 1
  br label %67

67:                                               ; preds = %65, %62
  %68 = phi i32 [ %66, %65 ], [ %63, %62 ]
  %69 = phi i32 [ %59, %65 ], [ %64, %62 ]
  %70 = icmp eq i32 %68, %4
  br i1 %70, label %71, label %25, !llvm.loop !13

71:                                               ; preds = %67, %18
  %72 = phi i64 [ %19, %18 ], [ %23, %67 ]
  %73 = phi i32 [ %11, %18 ], [ %69, %67 ]
  %74 = getelementptr inbounds i32, i32* %1, i64 %72
  store i32 %73, i32* %74, align 4, !tbaa !6
  ret void
}

define dso_local void @exception_call_plain(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32* noundef %2, i32* nocapture noundef readnone %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3
  %11 = add i32 %9, %10
  %12 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3
  %13 = mul i32 %12, %8
  %14 = shl i32 %11, 2
  %15 = zext i32 %14 to i64
  %16 = getelementptr inbounds i32, i32* %2, i64 %15
  %17 = icmp eq i32 %4, 0
  br i1 %17, label %57, label %18

18:                                               ; preds = %6
  %19 = getelementptr inbounds i32, i32* %16, i64 2
  %20 = getelementptr inbounds i32, i32* %16, i64 3
  br label %21

21:                                               ; preds = %46, %18
  %22 = phi i32 [ %11, %18 ], [ %54, %46 ]
  %23 = phi i32 [ 0, %18 ], [ %47, %46 ]
  %24 = mul i32 %13, %23
  %25 = add i32 %24, %11
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds i32, i32* %0, i64 %26
  %28 = load i32, i32* %27, align 4, !tbaa !6
  %29 = and i32 %28, 16
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %39, label %31

31:                                               ; preds = %21
  %32 = load volatile i32, i32* %19, align 4, !tbaa !6
  %33 = add i32 %32, 1
  store volatile i32 %33, i32* %19, align 4, !tbaa !6
  %34 = tail call %struct.checked @_Z4stepILb0EE7checkedjjPVj(i32 noundef %28, i32 noundef %5, i32* noundef %16) #3
  %35 = extractvalue %struct.checked %34, 0
  %36 = add i32 %35, %22
  br label %37

37:                                               ; preds = %39, %31
  %38 = phi i32 [ %36, %31 ], [ %45, %39 ]
  br label %49

39:                                               ; preds = %21
  %40 = load volatile i32, i32* %20, align 4, !tbaa !6
  %41 = add i32 %40, %28
  store volatile i32 %41, i32* %20, align 4, !tbaa !6
  %42 = lshr i32 %28, 1
  %43 = tail call %struct.checked @_Z4stepILb0EE7checkedjjPVj(i32 noundef %42, i32 noundef %5, i32* noundef %16) #3
  %44 = extractvalue %struct.checked %43, 0
  %45 = xor i32 %44, %22
  br label %37

46:                                               ; preds = %49
  %47 = add nuw i32 %23, 1
  %48 = icmp eq i32 %47, %4
  br i1 %48, label %57, label %21, !llvm.loop !14

49:                                               ; preds = %37, %49
  %50 = phi i32 [ %55, %49 ], [ 0, %37 ]
  %51 = phi i32 [ %54, %49 ], [ %38, %37 ]
  %52 = lshr i32 %51, 13
  %53 = xor i32 %52, %51
  %54 = mul i32 %53, -1028477379
  %55 = add nuw nsw i32 %50, 1
  %56 = icmp eq i32 %55, 4
  br i1 %56, label %46, label %49, !llvm.loop !15

57:                                               ; preds = %46, %6
  %58 = phi i32 [ %11, %6 ], [ %54, %46 ]
  %59 = zext i32 %11 to i64
  %60 = getelementptr inbounds i32, i32* %1, i64 %59
  store i32 %58, i32* %60, align 4, !tbaa !6
  ret void
}

define linkonce_odr dso_local %struct.checked @_Z4stepILb1EE7checkedjjPVj(i32 noundef %0, i32 noundef %1, i32* noundef %2) local_unnamed_addr #1 comdat {
  %4 = and i32 %0, 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %12, label %6

6:                                                ; preds = %3
  %7 = load volatile i32, i32* %2, align 4, !tbaa !6
  %8 = add i32 %7, 1
  store volatile i32 %8, i32* %2, align 4, !tbaa !6
  %9 = icmp ugt i32 %0, %1
  br i1 %9, label %30, label %10

10:                                               ; preds = %6
  %11 = add i32 %0, 12345
  br label %20

12:                                               ; preds = %3
  %13 = getelementptr inbounds i32, i32* %2, i64 1
  %14 = load volatile i32, i32* %13, align 4, !tbaa !6
  %15 = add i32 %14, %0
  store volatile i32 %15, i32* %13, align 4, !tbaa !6
  %16 = udiv i32 %0, 3
  %17 = icmp ugt i32 %16, %1
  br i1 %17, label %30, label %18

18:                                               ; preds = %12
  %19 = xor i32 %0, 54321
  br label %20

20:                                               ; preds = %18, %10
  %21 = phi i32 [ %11, %10 ], [ %19, %18 ]
  br label %22

22:                                               ; preds = %20, %22
  %23 = phi i32 [ %28, %22 ], [ 0, %20 ]
  %24 = phi i32 [ %27, %22 ], [ %21, %20 ]
  %25 = lshr i32 %24, 15
  %26 = xor i32 %25, %24
  %27 = mul i32 %26, -2048144777
  %28 = add nuw nsw i32 %23, 1
  %29 = icmp eq i32 %28, 4
  br i1 %29, label %30, label %22, !llvm.loop !16

30:                                               ; preds = %22, %6, %12
  %31 = phi i32 [ 0, %12 ], [ 0, %6 ], [ %27, %22 ]
  %32 = phi i32 [ 1, %12 ], [ 1, %6 ], [ 0, %22 ]
  %33 = insertvalue %struct.checked poison, i32 %31, 0
  %34 = insertvalue %struct.checked %33, i32 %32, 1
  ret %struct.checked %34
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

define linkonce_odr dso_local %struct.checked @_Z4stepILb0EE7checkedjjPVj(i32 noundef %0, i32 noundef %1, i32* noundef %2) local_unnamed_addr #1 comdat {
  %4 = and i32 %0, 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %12, label %6

6:                                                ; preds = %3
  %7 = load volatile i32, i32* %2, align 4, !tbaa !6
  %8 = add i32 %7, 1
  store volatile i32 %8, i32* %2, align 4, !tbaa !6
  %9 = add i32 %0, 12345
  br label %10

10:                                               ; preds = %12, %6
  %11 = phi i32 [ %16, %12 ], [ %9, %6 ]
  br label %20

12:                                               ; preds = %3
  %13 = getelementptr inbounds i32, i32* %2, i64 1
  %14 = load volatile i32, i32* %13, align 4, !tbaa !6
  %15 = add i32 %14, %0
  store volatile i32 %15, i32* %13, align 4, !tbaa !6
  %16 = xor i32 %0, 54321
  br label %10

17:                                               ; preds = %20
  %18 = insertvalue %struct.checked poison, i32 %25, 0
  %19 = insertvalue %struct.checked %18, i32 0, 1
  ret %struct.checked %19

20:                                               ; preds = %10, %20
  %21 = phi i32 [ %25, %20 ], [ %11, %10 ]
  %22 = phi i32 [ %26, %20 ], [ 0, %10 ]
  %23 = lshr i32 %21, 15
  %24 = xor i32 %23, %21
  %25 = mul i32 %24, -2048144777
  %26 = add nuw nsw i32 %22, 1
  %27 = icmp eq i32 %26, 4
  br i1 %27, label %17, label %20, !llvm.loop !17
}

attributes #0 = { mustprogress norecurse nounwind }
attributes #1 = { mustprogress noinline nounwind }
attributes #2 = { nofree nosync nounwind readnone speculatable }
attributes #3 = { nounwind }

!nvvm.annotations = !{!0, !1}

!0 = !{void (i32*, i32*, i32*, i32*, i32, i32)* @exception_call, !"kernel", i32 1}
!1 = !{void (i32*, i32*, i32*, i32*, i32, i32)* @exception_call_plain, !"kernel", i32 1}
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
!16 = distinct !{!16, !11, !12}
!17 = distinct !{!17, !11, !12}
