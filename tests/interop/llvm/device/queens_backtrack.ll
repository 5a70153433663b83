; SPDX-License-Identifier: BSL-1.0
; Compiled from queens_backtrack.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "queens_backtrack.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ16queens_backtrackE7columns = internal unnamed_addr addrspace(3) global [12 x [64 x i32]] undef, align 4
@_ZZ16queens_backtrackE4left = internal unnamed_addr addrspace(3) global [12 x [64 x i32]] undef, align 4
@_ZZ16queens_backtrackE5right = internal unnamed_addr addrspace(3) global [12 x [64 x i32]] undef, align 4
@_ZZ16queens_backtrackE5tried = internal unnamed_addr addrspace(3) global [12 x [64 x i32]] undef, align 4

define dso_local void @queens_backtrack(i32* nocapture noundef writeonly %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %5 = shl i32 %4, 6
  %6 = add i32 %5, %3
  %7 = shl nsw i32 -1, %1
  %8 = xor i32 %7, -1
  %9 = freeze i32 %6
  %10 = udiv i32 %9, %1
  %11 = mul i32 %10, %1
  %12 = sub i32 %9, %11
  %13 = shl nuw i32 1, %12
  %14 = shl nuw i32 1, %10
  %15 = or i32 %14, %13
  %16 = zext i32 %3 to i64
  %17 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE7columns, i64 0, i64 2, i64 %16
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %15, i32* %18, align 4, !tbaa !5
  %19 = shl i32 %13, 1
  %20 = or i32 %19, %14
  %21 = shl i32 %20, 1
  %22 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE4left, i64 0, i64 2, i64 %16
  %23 = addrspacecast i32 addrspace(3)* %22 to i32*
  store i32 %21, i32* %23, align 4, !tbaa !5
  %24 = lshr i32 %13, 1
  %25 = or i32 %24, %14
  %26 = lshr i32 %25, 1
  %27 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5right, i64 0, i64 2, i64 %16
  %28 = addrspacecast i32 addrspace(3)* %27 to i32*
  store i32 %26, i32* %28, align 4, !tbaa !5
  %29 = or i32 %21, %15
  %30 = or i32 %29, %26
  %31 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5tried, i64 0, i64 2, i64 %16
  %32 = addrspacecast i32 addrspace(3)* %31 to i32*
  store i32 %30, i32* %32, align 4, !tbaa !5
  %33 = or i32 %13, %7
  %34 = or i32 %33, %19
  %35 = or i32 %34, %24
  %36 = and i32 %35, %14
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %38, label %89

38:                                               ; preds = %2, %85
  %39 = phi i32 [ %87, %85 ], [ 0, %2 ]
  %40 = phi i32 [ %86, %85 ], [ 2, %2 ]
  %41 = zext i32 %40 to i64
  %42 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5tried, i64 0, i64 %41, i64 %16
  %43 = addrspacecast i32 addrspace(3)* %42 to i32*
  %44 = load i32, i32* %43, align 4, !tbaa !5
  %45 = and i32 %44, %8
  %46 = icmp eq i32 %45, %8
  br i1 %46, label %47, label %49

47:                                               ; preds = %38
  %48 = add i32 %40, -1
  br label %85

49:                                               ; preds = %38
  %50 = add i32 %44, 1
  %51 = xor i32 %44, -1
  %52 = and i32 %50, %51
  %53 = or i32 %50, %44
  store i32 %53, i32* %43, align 4, !tbaa !5
  %54 = add i32 %40, 1
  %55 = icmp eq i32 %54, %1
  br i1 %55, label %56, label %59

56:                                               ; preds = %49
  %57 = add i32 %39, 1
  %58 = add i32 %40, -1
  br label %85

59:                                               ; preds = %49
  %60 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE7columns, i64 0, i64 %41, i64 %16
  %61 = addrspacecast i32 addrspace(3)* %60 to i32*
  %62 = load i32, i32* %61, align 4, !tbaa !5
  %63 = or i32 %62, %52
  %64 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE4left, i64 0, i64 %41, i64 %16
  %65 = addrspacecast i32 addrspace(3)* %64 to i32*
  %66 = load i32, i32* %65, align 4, !tbaa !5
  %67 = or i32 %66, %52
  %68 = shl i32 %67, 1
  %69 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5right, i64 0, i64 %41, i64 %16
  %70 = addrspacecast i32 addrspace(3)* %69 to i32*
  %71 = load i32, i32* %70, align 4, !tbaa !5
  %72 = or i32 %71, %52
  %73 = lshr i32 %72, 1
  %74 = zext i32 %54 to i64
  %75 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE7columns, i64 0, i64 %74, i64 %16
  %76 = addrspacecast i32 addrspace(3)* %75 to i32*
  store i32 %63, i32* %76, align 4, !tbaa !5
  %77 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE4left, i64 0, i64 %74, i64 %16
  %78 = addrspacecast i32 addrspace(3)* %77 to i32*
  store i32 %68, i32* %78, align 4, !tbaa !5
  %79 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5right, i64 0, i64 %74, i64 %16
  %80 = addrspacecast i32 addrspace(3)* %79 to i32*
  store i32 %73, i32* %80, align 4, !tbaa !5
  %81 = or i32 %68, %63
  %82 = or i32 %81, %73
  %83 = getelementptr inbounds [12 x [64 x i32]], [12 x [64 x i32]] addrspace(3)* @_ZZ16queens_backtrackE5tried, i64 0, i64 %74, i64 %16
  %84 = addrspacecast i32 addrspace(3)* %83 to i32*
  store i32 %82, i32* %84, align 4, !tbaa !5
  br label %85

85:                                               ; preds = %56, %59, %47
  %86 = phi i32 [ %48, %47 ], [ %58, %56 ], [ %54, %59 ]
  %87 = phi i32 [ %39, %47 ], [ %57, %56 ], [ %39, %59 ]
  %88 = icmp ugt i32 %86, 1
  br i1 %88, label %38, label %89, !llvm.loop !9

89:                                               ; preds = %85, %2
  %90 = phi i32 [ 0, %2 ], [ %87, %85 ]
  %91 = zext i32 %6 to i64
  %92 = getelementptr inbounds i32, i32* %0, i64 %91
  store i32 %90, i32* %92, align 4, !tbaa !5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32)* @queens_backtrack, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
