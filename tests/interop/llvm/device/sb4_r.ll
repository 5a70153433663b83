; SPDX-License-Identifier: BSL-1.0
; Compiled from sb4_r.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "sb4_r.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ5sb4_rE5first = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ5sb4_rE6second = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ5sb4_rE5third = internal unnamed_addr addrspace(3) global [2 x [64 x i32]] undef, align 4
@_ZZ5sb4_rE5turns = internal unnamed_addr addrspace(3) global [64 x i32] undef, align 4

define dso_local void @sb4_r(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %7 = shl i32 %6, 6
  %8 = add i32 %7, %5
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds i32, i32* %0, i64 %9
  %11 = load i32, i32* %10, align 4, !tbaa !5
  %12 = zext i32 %5 to i64
  %13 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE5third, i64 0, i64 0, i64 %12
  %14 = addrspacecast i32 addrspace(3)* %13 to i32*
  store i32 %11, i32* %14, align 4, !tbaa !5
  %15 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE6second, i64 0, i64 1, i64 %12
  %16 = addrspacecast i32 addrspace(3)* %15 to i32*
  store i32 %11, i32* %16, align 4, !tbaa !5
  %17 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE5first, i64 0, i64 0, i64 %12
  %18 = addrspacecast i32 addrspace(3)* %17 to i32*
  store i32 %11, i32* %18, align 4, !tbaa !5
  %19 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE5third, i64 0, i64 1, i64 %12
  %20 = addrspacecast i32 addrspace(3)* %19 to i32*
  store i32 %8, i32* %20, align 4, !tbaa !5
  %21 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE6second, i64 0, i64 0, i64 %12
  %22 = addrspacecast i32 addrspace(3)* %21 to i32*
  store i32 %8, i32* %22, align 4, !tbaa !5
  %23 = getelementptr inbounds [2 x [64 x i32]], [2 x [64 x i32]] addrspace(3)* @_ZZ5sb4_rE5first, i64 0, i64 1, i64 %12
  %24 = addrspacecast i32 addrspace(3)* %23 to i32*
  store i32 %8, i32* %24, align 4, !tbaa !5
  %25 = getelementptr inbounds [64 x i32], [64 x i32] addrspace(3)* @_ZZ5sb4_rE5turns, i64 0, i64 %12
  %26 = addrspacecast i32 addrspace(3)* %25 to i32*
  store i32 0, i32* %26, align 4, !tbaa !5
  %27 = icmp eq i32 %2, 0
  br i1 %27, label %39, label %28

28:                                               ; preds = %4
  %29 = icmp eq i32 %3, 0
  br label %30

30:                                               ; preds = %28, %58
  %31 = phi i32 [ 0, %28 ], [ %59, %58 ]
  br i1 %29, label %58, label %61

32:                                               ; preds = %58
  %33 = load i32, i32* %18, align 4, !tbaa !5
  %34 = load i32, i32* %24, align 4, !tbaa !5
  %35 = load i32, i32* %22, align 4, !tbaa !5
  %36 = load i32, i32* %16, align 4, !tbaa !5
  %37 = load i32, i32* %14, align 4, !tbaa !5
  %38 = load i32, i32* %20, align 4, !tbaa !5
  br label %39

39:                                               ; preds = %32, %4
  %40 = phi i32 [ %38, %32 ], [ %8, %4 ]
  %41 = phi i32 [ %37, %32 ], [ %11, %4 ]
  %42 = phi i32 [ %36, %32 ], [ %11, %4 ]
  %43 = phi i32 [ %35, %32 ], [ %8, %4 ]
  %44 = phi i32 [ %34, %32 ], [ %8, %4 ]
  %45 = phi i32 [ %33, %32 ], [ %11, %4 ]
  %46 = xor i32 %44, %45
  %47 = mul i32 %8, 3
  %48 = zext i32 %47 to i64
  %49 = getelementptr inbounds i32, i32* %1, i64 %48
  store i32 %46, i32* %49, align 4, !tbaa !5
  %50 = xor i32 %42, %43
  %51 = add i32 %47, 1
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds i32, i32* %1, i64 %52
  store i32 %50, i32* %53, align 4, !tbaa !5
  %54 = xor i32 %40, %41
  %55 = add i32 %47, 2
  %56 = zext i32 %55 to i64
  %57 = getelementptr inbounds i32, i32* %1, i64 %56
  store i32 %54, i32* %57, align 4, !tbaa !5
  ret void

58:                                               ; preds = %107, %30
  %59 = add nuw i32 %31, 1
  %60 = icmp eq i32 %59, %2
  br i1 %60, label %32, label %30, !llvm.loop !9

61:                                               ; preds = %30, %107
  %62 = phi i32 [ %108, %107 ], [ 0, %30 ]
  %63 = add i32 %62, %5
  %64 = and i32 %63, 2
  %65 = icmp eq i32 %64, 0
  br i1 %65, label %66, label %78

66:                                               ; preds = %61
  %67 = load i32, i32* %18, align 4, !tbaa !5
  %68 = load i32, i32* %24, align 4, !tbaa !5
  %69 = xor i32 %67, %62
  %70 = mul i32 %69, %68
  %71 = lshr i32 %70, 9
  %72 = add i32 %71, %67
  %73 = xor i32 %68, -1
  %74 = and i32 %72, %73
  store i32 %74, i32* %18, align 4, !tbaa !5
  %75 = icmp ult i32 %72, %67
  %76 = select i1 %75, i32 %72, i32 %67
  %77 = sub i32 %76, %62
  store i32 %77, i32* %24, align 4, !tbaa !5
  br label %107

78:                                               ; preds = %61
  %79 = load i32, i32* %26, align 4, !tbaa !5
  %80 = add i32 %79, 1
  store i32 %80, i32* %26, align 4, !tbaa !5
  %81 = add i32 %79, %5
  %82 = and i32 %81, 2
  %83 = icmp eq i32 %82, 0
  br i1 %83, label %84, label %95

84:                                               ; preds = %78
  %85 = load i32, i32* %22, align 4, !tbaa !5
  %86 = load i32, i32* %16, align 4, !tbaa !5
  %87 = shl i32 %86, 5
  %88 = sub i32 %87, %85
  %89 = shl i32 %62, 2
  %90 = or i32 %88, %89
  %91 = mul i32 %90, -1640531535
  %92 = xor i32 %91, %86
  %93 = lshr i32 %85, 3
  %94 = add i32 %92, %93
  store i32 %94, i32* %16, align 4, !tbaa !5
  store i32 %92, i32* %22, align 4, !tbaa !5
  br label %107

95:                                               ; preds = %78
  %96 = load i32, i32* %14, align 4, !tbaa !5
  %97 = load i32, i32* %20, align 4, !tbaa !5
  %98 = icmp ugt i32 %96, %97
  %99 = select i1 %98, i32 %96, i32 %97
  %100 = shl i32 %62, 4
  %101 = xor i32 %99, %100
  %102 = mul i32 %101, 3
  %103 = add i32 %102, %79
  store i32 %103, i32* %14, align 4, !tbaa !5
  %104 = sub i32 %101, %97
  %105 = lshr i32 %96, 11
  %106 = or i32 %104, %105
  store i32 %106, i32* %20, align 4, !tbaa !5
  br label %107

107:                                              ; preds = %84, %95, %66
  %108 = add nuw i32 %62, 1
  %109 = icmp eq i32 %108, %3
  br i1 %109, label %58, label %61, !llvm.loop !16
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

attributes #0 = { convergent mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32, i32)* @sb4_r, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
!16 = distinct !{!16, !10, !11}
