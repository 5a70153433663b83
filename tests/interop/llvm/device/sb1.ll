; SPDX-License-Identifier: BSL-1.0
; Compiled from sb1.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "sb1.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ3sb1E4left = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ3sb1E5right = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4

define dso_local void @sb1(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = shl i32 %6, 6
  %8 = add i32 %7, %5
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds i32, i32* %0, i64 %9
  %11 = load i32, i32* %10, align 4, !tbaa !5
  %12 = zext i32 %5 to i64
  %13 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb1E5right, i64 0, i64 1, i64 %12
  %14 = addrspacecast i32 addrspace(3)* %13 to i32*
  store i32 %11, i32* %14, align 4, !tbaa !5
  %15 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb1E4left, i64 0, i64 0, i64 %12
  %16 = addrspacecast i32 addrspace(3)* %15 to i32*
  store i32 %11, i32* %16, align 4, !tbaa !5
  %17 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb1E5right, i64 0, i64 0, i64 %12
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %8, i32* %18, align 4, !tbaa !5
  %19 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ3sb1E4left, i64 0, i64 1, i64 %12
  %20 = addrspacecast i32 addrspace(3)* %19 to i32*
  store i32 %8, i32* %20, align 4, !tbaa !5
  %21 = icmp eq i32 %2, 0
  br i1 %21, label %31, label %22

22:                                               ; preds = %4
  %23 = icmp eq i32 %3, 0
  br label %24

24:                                               ; preds = %22, %44
  %25 = phi i32 [ 0, %22 ], [ %45, %44 ]
  br i1 %23, label %44, label %47

26:                                               ; preds = %44
  %27 = load i32, i32* %16, align 4, !tbaa !5
  %28 = load i32, i32* %20, align 4, !tbaa !5
  %29 = load i32, i32* %18, align 4, !tbaa !5
  %30 = load i32, i32* %14, align 4, !tbaa !5
  br label %31

31:                                               ; preds = %26, %4
  %32 = phi i32 [ %30, %26 ], [ %11, %4 ]
  %33 = phi i32 [ %29, %26 ], [ %8, %4 ]
  %34 = phi i32 [ %28, %26 ], [ %8, %4 ]
  %35 = phi i32 [ %27, %26 ], [ %11, %4 ]
  %36 = xor i32 %34, %35
  %37 = shl i32 %8, 1
  %38 = zext i32 %37 to i64
  %39 = getelementptr inbounds i32, i32* %1, i64 %38
  store i32 %36, i32* %39, align 4, !tbaa !5
  %40 = xor i32 %32, %33
  %41 = or i32 %37, 1
  %42 = zext i32 %41 to i64
  %43 = getelementptr inbounds i32, i32* %1, i64 %42
  store i32 %40, i32* %43, align 4, !tbaa !5
  ret void

44:                                               ; preds = %70, %24
  %45 = add nuw i32 %25, 1
  %46 = icmp eq i32 %45, %2
  br i1 %46, label %26, label %24, !llvm.loop !9

47:                                               ; preds = %24, %70
  %48 = phi i32 [ %71, %70 ], [ 0, %24 ]
  %49 = add i32 %48, %5
  %50 = and i32 %49, 2
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %52, label %61

52:                                               ; preds = %47
  %53 = load i32, i32* %16, align 4, !tbaa !5
  %54 = load i32, i32* %20, align 4, !tbaa !5
  %55 = mul i32 %54, %53
  %56 = add i32 %55, %48
  %57 = lshr i32 %56, 7
  %58 = xor i32 %57, %56
  store i32 %58, i32* %16, align 4, !tbaa !5
  %59 = shl i32 %58, 3
  %60 = add i32 %59, %53
  store i32 %60, i32* %20, align 4, !tbaa !5
  br label %70

61:                                               ; preds = %47
  %62 = load i32, i32* %18, align 4, !tbaa !5
  %63 = load i32, i32* %14, align 4, !tbaa !5
  %64 = mul i32 %63, %62
  %65 = add i32 %64, %48
  %66 = lshr i32 %65, 7
  %67 = xor i32 %66, %65
  store i32 %67, i32* %18, align 4, !tbaa !5
  %68 = shl i32 %67, 3
  %69 = add i32 %68, %62
  store i32 %69, i32* %14, align 4, !tbaa !5
  br label %70

70:                                               ; preds = %52, %61
  %71 = add nuw i32 %48, 1
  %72 = icmp eq i32 %71, %3
  br i1 %72, label %44, label %47, !llvm.loop !14
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32, i32)* @sb1, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!14 = distinct !{!14, !10, !11}
