; SPDX-License-Identifier: BSL-1.0
; Compiled from bytecode.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "bytecode.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @bytecode(i32* nocapture noundef readonly %0, i32* noundef %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef writeonly %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %9 = mul i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %11 = add i32 %9, %10
  %12 = mul i32 %11, %4
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds i32, i32* %0, i64 %13
  %15 = shl i32 %11, 3
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds i32, i32* %1, i64 %16
  %18 = add i32 %11, 1
  %19 = getelementptr inbounds i32, i32* %17, i64 7
  br label %20

20:                                               ; preds = %79, %6
  %21 = phi i32 [ 0, %6 ], [ %80, %79 ]
  %22 = phi i32 [ 0, %6 ], [ %81, %79 ]
  %23 = phi i32 [ %18, %6 ], [ %82, %79 ]
  %24 = phi i32 [ %5, %6 ], [ %29, %79 ]
  %25 = icmp ult i32 %22, %4
  br i1 %25, label %26, label %84

26:                                               ; preds = %20
  %27 = icmp eq i32 %24, 0
  br i1 %27, label %87, label %28

28:                                               ; preds = %26
  %29 = add i32 %24, -1
  %30 = zext i32 %22 to i64
  %31 = getelementptr inbounds i32, i32* %14, i64 %30
  %32 = load i32, i32* %31, align 4, !tbaa !5
  %33 = add nuw i32 %22, 1
  %34 = and i32 %32, 7
  %35 = lshr i32 %32, 3
  switch i32 %35, label %79 [
    i32 0, label %36
    i32 1, label %42
    i32 2, label %46
    i32 3, label %54
    i32 4, label %61
  ]

36:                                               ; preds = %28
  %37 = zext i32 %34 to i64
  %38 = getelementptr inbounds i32, i32* %17, i64 %37
  %39 = load volatile i32, i32* %38, align 4, !tbaa !5
  %40 = icmp eq i32 %39, -1
  %41 = add i32 %39, %23
  br i1 %40, label %79, label %75

42:                                               ; preds = %28
  %43 = and i32 %23, 15
  %44 = zext i32 %34 to i64
  %45 = getelementptr inbounds i32, i32* %17, i64 %44
  store volatile i32 %43, i32* %45, align 4, !tbaa !5
  br label %75

46:                                               ; preds = %28
  %47 = and i32 %23, 255
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %79, label %49

49:                                               ; preds = %46
  %50 = mul nuw nsw i32 %34, 1000003
  %51 = add nuw nsw i32 %50, 1000003
  %52 = urem i32 %51, %47
  %53 = add i32 %52, %23
  br label %75

54:                                               ; preds = %28
  %55 = shl nuw nsw i32 %34, 1
  %56 = add nuw nsw i32 %55, 3
  %57 = mul i32 %56, %23
  %58 = lshr i32 %57, 15
  %59 = xor i32 %58, %57
  %60 = and i32 %59, 15
  store volatile i32 %60, i32* %19, align 4, !tbaa !5
  br label %75

61:                                               ; preds = %28
  %62 = load volatile i32, i32* %17, align 4, !tbaa !5
  %63 = icmp eq i32 %62, 0
  br i1 %63, label %71, label %64

64:                                               ; preds = %61
  %65 = icmp ugt i32 %62, 15
  br i1 %65, label %71, label %66

66:                                               ; preds = %64
  %67 = icmp ult i32 %22, %34
  %68 = sub i32 %33, %34
  %69 = select i1 %67, i32 0, i32 %68
  %70 = add nsw i32 %62, -1
  store volatile i32 %70, i32* %17, align 4, !tbaa !5
  br label %71

71:                                               ; preds = %64, %61, %66
  %72 = phi i32 [ %21, %66 ], [ %21, %61 ], [ 3, %64 ]
  %73 = phi i32 [ %69, %66 ], [ %33, %61 ], [ %33, %64 ]
  %74 = phi i1 [ true, %66 ], [ true, %61 ], [ false, %64 ]
  br i1 %74, label %75, label %79

75:                                               ; preds = %36, %71, %54, %49, %42
  %76 = phi i32 [ %72, %71 ], [ %21, %54 ], [ %21, %49 ], [ %21, %42 ], [ %21, %36 ]
  %77 = phi i32 [ %73, %71 ], [ %33, %54 ], [ %33, %49 ], [ %33, %42 ], [ %33, %36 ]
  %78 = phi i32 [ %23, %71 ], [ %59, %54 ], [ %53, %49 ], [ %23, %42 ], [ %41, %36 ]
  br label %79

79:                                               ; preds = %28, %46, %36, %71, %75
  %80 = phi i32 [ %76, %75 ], [ %72, %71 ], [ 1, %36 ], [ 2, %46 ], [ 4, %28 ]
  %81 = phi i32 [ %77, %75 ], [ %73, %71 ], [ %33, %36 ], [ %33, %46 ], [ %33, %28 ]
  %82 = phi i32 [ %78, %75 ], [ %23, %71 ], [ %23, %36 ], [ %23, %46 ], [ %23, %28 ]
  %83 = phi i1 [ true, %75 ], [ false, %71 ], [ false, %36 ], [ false, %46 ], [ false, %28 ]
  br i1 %83, label %20, label %87

84:                                               ; preds = %20
  %85 = zext i32 %11 to i64
  %86 = getelementptr inbounds i32, i32* %2, i64 %85
  store i32 %23, i32* %86, align 4, !tbaa !5
  br label %97

87:                                               ; preds = %79, %26
  %88 = phi i32 [ %80, %79 ], [ 5, %26 ]
  %89 = phi i32 [ %81, %79 ], [ %22, %26 ]
  %90 = phi i32 [ %82, %79 ], [ %23, %26 ]
  %91 = shl i32 %88, 16
  %92 = add i32 %91, %89
  %93 = zext i32 %11 to i64
  %94 = getelementptr inbounds i32, i32* %3, i64 %93
  store i32 %92, i32* %94, align 4, !tbaa !5
  %95 = xor i32 %90, -1
  %96 = getelementptr inbounds i32, i32* %2, i64 %93
  store i32 %95, i32* %96, align 4, !tbaa !5
  br label %97

97:                                               ; preds = %87, %84
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*, i32, i32)* @bytecode, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
