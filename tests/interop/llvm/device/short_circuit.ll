; SPDX-License-Identifier: BSL-1.0
; Compiled from short_circuit.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "short_circuit.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.tally = type { [8 x i32] }

define dso_local void @short_circuit(i32* nocapture noundef readonly %0, i32* nocapture noundef writeonly %1, %struct.tally* noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %7 = mul i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %9 = add i32 %7, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2
  %11 = mul i32 %10, %6
  %12 = zext i32 %9 to i64
  %13 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 0
  %14 = icmp eq i32 %3, 0
  br i1 %14, label %23, label %15

15:                                               ; preds = %4
  %16 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 1
  %17 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 2
  %18 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 3
  %19 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 4
  %20 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 5
  %21 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 6
  %22 = getelementptr inbounds %struct.tally, %struct.tally* %2, i64 %12, i32 0, i64 7
  br label %26

23:                                               ; preds = %100, %4
  %24 = phi i32 [ 0, %4 ], [ %101, %100 ]
  %25 = getelementptr inbounds i32, i32* %1, i64 %12
  store i32 %24, i32* %25, align 4, !tbaa !5
  ret void

26:                                               ; preds = %15, %100
  %27 = phi i32 [ 0, %15 ], [ %101, %100 ]
  %28 = phi i32 [ 0, %15 ], [ %102, %100 ]
  %29 = mul i32 %11, %28
  %30 = add i32 %29, %9
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds i32, i32* %0, i64 %31
  %33 = load i32, i32* %32, align 4, !tbaa !5
  %34 = load volatile i32, i32* %13, align 4, !tbaa !5
  %35 = add i32 %34, 1
  store volatile i32 %35, i32* %13, align 4, !tbaa !5
  %36 = lshr i32 %33, 3
  %37 = xor i32 %36, %33
  %38 = mul i32 %37, -1640531535
  %39 = and i32 %38, 131072
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %49

41:                                               ; preds = %26
  %42 = load volatile i32, i32* %16, align 4, !tbaa !5
  %43 = add i32 %42, 1
  store volatile i32 %43, i32* %16, align 4, !tbaa !5
  %44 = lshr i32 %33, 4
  %45 = xor i32 %44, %33
  %46 = mul i32 %45, -1640531533
  %47 = and i32 %46, 131072
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %100, label %49

49:                                               ; preds = %41, %26
  %50 = load volatile i32, i32* %17, align 4, !tbaa !5
  %51 = add i32 %50, 1
  store volatile i32 %51, i32* %17, align 4, !tbaa !5
  %52 = lshr i32 %33, 5
  %53 = xor i32 %52, %33
  %54 = mul i32 %53, -1640531531
  %55 = and i32 %54, 131072
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %57, label %65

57:                                               ; preds = %49
  %58 = load volatile i32, i32* %18, align 4, !tbaa !5
  %59 = add i32 %58, 1
  store volatile i32 %59, i32* %18, align 4, !tbaa !5
  %60 = lshr i32 %33, 6
  %61 = xor i32 %60, %33
  %62 = mul i32 %61, -1640531529
  %63 = and i32 %62, 131072
  %64 = icmp eq i32 %63, 0
  br i1 %64, label %100, label %65

65:                                               ; preds = %57, %49
  %66 = load volatile i32, i32* %19, align 4, !tbaa !5
  %67 = add i32 %66, 1
  store volatile i32 %67, i32* %19, align 4, !tbaa !5
  %68 = lshr i32 %33, 7
  %69 = xor i32 %68, %33
  %70 = mul i32 %69, -1640531527
  %71 = and i32 %70, 131072
  %72 = icmp eq i32 %71, 0
  br i1 %72, label %73, label %81

73:                                               ; preds = %65
  %74 = load volatile i32, i32* %20, align 4, !tbaa !5
  %75 = add i32 %74, 1
  store volatile i32 %75, i32* %20, align 4, !tbaa !5
  %76 = lshr i32 %33, 8
  %77 = xor i32 %76, %33
  %78 = mul i32 %77, -1640531525
  %79 = and i32 %78, 131072
  %80 = icmp eq i32 %79, 0
  br i1 %80, label %100, label %81

81:                                               ; preds = %73, %65
  %82 = load volatile i32, i32* %21, align 4, !tbaa !5
  %83 = add i32 %82, 1
  store volatile i32 %83, i32* %21, align 4, !tbaa !5
  %84 = lshr i32 %33, 9
  %85 = xor i32 %84, %33
  %86 = mul i32 %85, -1640531523
  %87 = and i32 %86, 131072
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %89, label %97

89:                                               ; preds = %81
  %90 = load volatile i32, i32* %22, align 4, !tbaa !5
  %91 = add i32 %90, 1
  store volatile i32 %91, i32* %22, align 4, !tbaa !5
  %92 = lshr i32 %33, 10
  %93 = xor i32 %92, %33
  %94 = mul i32 %93, -1640531521
  %95 = and i32 %94, 131072
  %96 = icmp eq i32 %95, 0
  br i1 %96, label %100, label %97

97:                                               ; preds = %89, %81
  %98 = or i32 %33, 1
  %99 = add i32 %98, %27
  br label %100

100:                                              ; preds = %97, %89, %73, %57, %41
  %101 = phi i32 [ %99, %97 ], [ %27, %89 ], [ %27, %73 ], [ %27, %57 ], [ %27, %41 ]
  %102 = add nuw i32 %28, 1
  %103 = icmp eq i32 %102, %3
  br i1 %103, label %23, label %26, !llvm.loop !9
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

attributes #0 = { mustprogress nofree norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, %struct.tally*, i32)* @short_circuit, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.count", i32 1}
