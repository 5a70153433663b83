; SPDX-License-Identifier: BSL-1.0
; Compiled from sb3.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "sb3.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ3sb3E4left = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ3sb3E5right = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ3sb3E5alone = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4

define dso_local void @sb3(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = shl i32 %6, 6
  %8 = add i32 %7, %5
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds i32, i32* %0, i64 %9
  %11 = load i32, i32* %10, align 4, !tbaa !5
  %12 = zext i32 %5 to i64
  %13 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb3E5right, i64 0, i64 1, i64 %12
  %14 = addrspacecast i32 addrspace(3)* %13 to i32*
  store i32 %11, i32* %14, align 4, !tbaa !5
  %15 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb3E4left, i64 0, i64 0, i64 %12
  %16 = addrspacecast i32 addrspace(3)* %15 to i32*
  store i32 %11, i32* %16, align 4, !tbaa !5
  %17 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb3E5right, i64 0, i64 0, i64 %12
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %8, i32* %18, align 4, !tbaa !5
  %19 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb3E4left, i64 0, i64 1, i64 %12
  %20 = addrspacecast i32 addrspace(3)* %19 to i32*
  store i32 %8, i32* %20, align 4, !tbaa !5
  %21 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ3sb3E5alone, i64 0, i64 %12
  %22 = addrspacecast i32 addrspace(3)* %21 to i32*
  store i32 0, i32* %22, align 4, !tbaa !5
  %23 = icmp eq i32 %2, 0
  br i1 %23, label %34, label %24

24:                                               ; preds = %4
  %25 = icmp eq i32 %3, 0
  br label %26

26:                                               ; preds = %24, %49
  %27 = phi i32 [ 0, %24 ], [ %50, %49 ]
  br i1 %25, label %49, label %52

28:                                               ; preds = %49
  %29 = load i32, i32* %16, align 4, !tbaa !5
  %30 = load i32, i32* %20, align 4, !tbaa !5
  %31 = load i32, i32* %22, align 4, !tbaa !5
  %32 = load i32, i32* %18, align 4, !tbaa !5
  %33 = load i32, i32* %14, align 4, !tbaa !5
  br label %34

34:                                               ; preds = %28, %4
  %35 = phi i32 [ %33, %28 ], [ %11, %4 ]
  %36 = phi i32 [ %32, %28 ], [ %8, %4 ]
  %37 = phi i32 [ %31, %28 ], [ 0, %4 ]
  %38 = phi i32 [ %30, %28 ], [ %8, %4 ]
  %39 = phi i32 [ %29, %28 ], [ %11, %4 ]
  %40 = xor i32 %38, %39
  %41 = xor i32 %40, %37
  %42 = shl i32 %8, 1
  %43 = zext i32 %42 to i64
  %44 = getelementptr inbounds i32, i32* %1, i64 %43
  store i32 %41, i32* %44, align 4, !tbaa !5
  %45 = xor i32 %35, %36
  %46 = or i32 %42, 1
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds i32, i32* %1, i64 %47
  store i32 %45, i32* %48, align 4, !tbaa !5
  ret void

49:                                               ; preds = %104, %26
  %50 = add nuw i32 %27, 1
  %51 = icmp eq i32 %50, %2
  br i1 %51, label %28, label %26, !llvm.loop !9

52:                                               ; preds = %26, %104
  %53 = phi i32 [ %105, %104 ], [ 0, %26 ]
  %54 = add i32 %53, %5
  %55 = and i32 %54, 2
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %57, label %82

57:                                               ; preds = %52
  %58 = load i32, i32* %16, align 4, !tbaa !5
  %59 = shl i32 3, %53
  %60 = and i32 %58, %59
  %61 = icmp eq i32 %60, 0
  br i1 %61, label %70, label %62

62:                                               ; preds = %57
  %63 = load i32, i32* %20, align 4, !tbaa !5
  %64 = mul i32 %63, %58
  %65 = add i32 %64, %53
  %66 = lshr i32 %65, 7
  %67 = xor i32 %66, %65
  %68 = shl i32 %67, 3
  %69 = add i32 %68, %58
  store i32 %69, i32* %20, align 4, !tbaa !5
  br label %70

70:                                               ; preds = %62, %57
  %71 = xor i32 %58, %27
  %72 = load i32, i32* %22, align 4, !tbaa !5
  %73 = add i32 %72, %71
  store i32 %73, i32* %22, align 4, !tbaa !5
  %74 = load i32, i32* %20, align 4, !tbaa !5
  %75 = and i32 %74, 24
  %76 = icmp eq i32 %75, 8
  br i1 %76, label %104, label %77

77:                                               ; preds = %70
  %78 = load i32, i32* %16, align 4, !tbaa !5
  %79 = sub i32 %78, %74
  %80 = mul i32 %79, 5
  %81 = add i32 %80, 3
  store i32 %81, i32* %16, align 4, !tbaa !5
  br label %104

82:                                               ; preds = %52
  %83 = load i32, i32* %18, align 4, !tbaa !5
  %84 = shl i32 3, %53
  %85 = and i32 %83, %84
  %86 = icmp eq i32 %85, 0
  br i1 %86, label %95, label %87

87:                                               ; preds = %82
  %88 = load i32, i32* %14, align 4, !tbaa !5
  %89 = mul i32 %88, %83
  %90 = add i32 %89, %53
  %91 = lshr i32 %90, 7
  %92 = xor i32 %91, %90
  %93 = shl i32 %92, 3
  %94 = add i32 %93, %83
  store i32 %94, i32* %14, align 4, !tbaa !5
  br label %95

95:                                               ; preds = %87, %82
  %96 = load i32, i32* %14, align 4, !tbaa !5
  %97 = and i32 %96, 24
  %98 = icmp eq i32 %97, 8
  br i1 %98, label %104, label %99

99:                                               ; preds = %95
  %100 = load i32, i32* %18, align 4, !tbaa !5
  %101 = sub i32 %100, %96
  %102 = mul i32 %101, 5
  %103 = add i32 %102, 3
  store i32 %103, i32* %18, align 4, !tbaa !5
  br label %104

104:                                              ; preds = %95, %99, %70, %77
  %105 = add nuw i32 %53, 1
  %106 = icmp eq i32 %105, %3
  br i1 %106, label %49, label %52, !llvm.loop !17
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32, i32)* @sb3, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!17 = distinct !{!17, !10, !11}
