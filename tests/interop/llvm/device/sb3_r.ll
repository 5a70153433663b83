; SPDX-License-Identifier: BSL-1.0
; Compiled from sb3_r.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "sb3_r.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ5sb3_rE4left = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ5sb3_rE5right = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ5sb3_rE5alone = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4

define dso_local void @sb3_r(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = shl i32 %6, 6
  %8 = add i32 %7, %5
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds i32, i32* %0, i64 %9
  %11 = load i32, i32* %10, align 4, !tbaa !5
  %12 = zext i32 %5 to i64
  %13 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb3_rE5right, i64 0, i64 1, i64 %12
  %14 = addrspacecast i32 addrspace(3)* %13 to i32*
  store i32 %11, i32* %14, align 4, !tbaa !5
  %15 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb3_rE4left, i64 0, i64 0, i64 %12
  %16 = addrspacecast i32 addrspace(3)* %15 to i32*
  store i32 %11, i32* %16, align 4, !tbaa !5
  %17 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb3_rE5right, i64 0, i64 0, i64 %12
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %8, i32* %18, align 4, !tbaa !5
  %19 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb3_rE4left, i64 0, i64 1, i64 %12
  %20 = addrspacecast i32 addrspace(3)* %19 to i32*
  store i32 %8, i32* %20, align 4, !tbaa !5
  %21 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ5sb3_rE5alone, i64 0, i64 %12
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

49:                                               ; preds = %109, %26
  %50 = add nuw i32 %27, 1
  %51 = icmp eq i32 %50, %2
  br i1 %51, label %28, label %26, !llvm.loop !9

52:                                               ; preds = %26, %109
  %53 = phi i32 [ %110, %109 ], [ 0, %26 ]
  %54 = add i32 %53, %5
  %55 = and i32 %54, 2
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %57, label %83

57:                                               ; preds = %52
  %58 = load i32, i32* %16, align 4, !tbaa !5
  %59 = shl i32 3, %53
  %60 = and i32 %58, %59
  %61 = icmp eq i32 %60, 0
  br i1 %61, label %71, label %62

62:                                               ; preds = %57
  %63 = load i32, i32* %20, align 4, !tbaa !5
  %64 = xor i32 %58, %53
  %65 = mul i32 %63, %64
  %66 = lshr i32 %65, 9
  %67 = add i32 %66, %58
  %68 = icmp ult i32 %67, %58
  %69 = select i1 %68, i32 %67, i32 %58
  %70 = sub i32 %69, %53
  store i32 %70, i32* %20, align 4, !tbaa !5
  br label %71

71:                                               ; preds = %62, %57
  %72 = xor i32 %58, %27
  %73 = load i32, i32* %22, align 4, !tbaa !5
  %74 = add i32 %73, %72
  store i32 %74, i32* %22, align 4, !tbaa !5
  %75 = load i32, i32* %20, align 4, !tbaa !5
  %76 = and i32 %75, 24
  %77 = icmp eq i32 %76, 8
  br i1 %77, label %109, label %78

78:                                               ; preds = %71
  %79 = load i32, i32* %16, align 4, !tbaa !5
  %80 = sub i32 %79, %75
  %81 = mul i32 %80, 5
  %82 = add i32 %81, 3
  store i32 %82, i32* %16, align 4, !tbaa !5
  br label %109

83:                                               ; preds = %52
  %84 = load i32, i32* %18, align 4, !tbaa !5
  %85 = mul i32 %84, 3
  %86 = and i32 %85, 6
  %87 = icmp eq i32 %86, 6
  br i1 %87, label %98, label %88

88:                                               ; preds = %83
  %89 = load i32, i32* %14, align 4, !tbaa !5
  %90 = shl i32 %89, 5
  %91 = sub i32 %90, %84
  %92 = shl i32 %53, 2
  %93 = or i32 %91, %92
  %94 = mul i32 %93, -1640531535
  %95 = xor i32 %94, %89
  %96 = lshr i32 %84, 3
  %97 = add i32 %95, %96
  store i32 %97, i32* %14, align 4, !tbaa !5
  br label %98

98:                                               ; preds = %88, %83
  %99 = load i32, i32* %14, align 4, !tbaa !5
  %100 = icmp ugt i32 %99, %84
  br i1 %100, label %101, label %109

101:                                              ; preds = %98
  %102 = load i32, i32* %18, align 4, !tbaa !5
  %103 = or i32 %102, 1
  %104 = lshr i32 %99, 2
  %105 = icmp ugt i32 %103, %104
  %106 = select i1 %105, i32 %103, i32 %104
  %107 = shl i32 %102, 11
  %108 = xor i32 %106, %107
  store i32 %108, i32* %18, align 4, !tbaa !5
  br label %109

109:                                              ; preds = %98, %101, %71, %78
  %110 = add nuw i32 %53, 1
  %111 = icmp eq i32 %110, %3
  br i1 %111, label %49, label %52, !llvm.loop !17
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32, i32)* @sb3_r, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!17 = distinct !{!17, !10, !11}
