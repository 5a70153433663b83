; SPDX-License-Identifier: BSL-1.0
; Compiled from spin_lock_flag.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "spin_lock_flag.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define dso_local void @spin_lock_flag(i32* nocapture noundef %0, i32* noundef %1, i32* nocapture noundef writeonly %2, i32* nocapture noundef readonly %3) local_unnamed_addr #0 {
  br label %5

5:                                                ; preds = %5, %4
  %6 = cmpxchg i32* %0, i32 0, i32 1 monotonic monotonic, align 4
  %7 = extractvalue { i32, i1 } %6, 1
  br i1 %7, label %8, label %5

8:                                                ; preds = %5
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2
  %12 = mul i32 %11, %10
  %13 = add i32 %12, %9
  tail call void @llvm.nvvm.membar.gl() #2
  %14 = load volatile i32, i32* %1, align 4, !tbaa !5
  %15 = zext i32 %13 to i64
  %16 = getelementptr inbounds i32, i32* %3, i64 %15
  %17 = load i32, i32* %16, align 4, !tbaa !5
  %18 = add i32 %17, %14
  store volatile i32 %18, i32* %1, align 4, !tbaa !5
  tail call void @llvm.nvvm.membar.gl() #2
  store atomic i32 0, i32* %0 monotonic, align 4
  %19 = load i32, i32* %16, align 4, !tbaa !5
  %20 = xor i32 %19, 1
  %21 = getelementptr inbounds i32, i32* %2, i64 %15
  store i32 %20, i32* %21, align 4, !tbaa !5
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare void @llvm.nvvm.membar.gl() #2

attributes #0 = { mustprogress norecurse nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable }
attributes #2 = { nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32*)* @spin_lock_flag, !"kernel", i32 1}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
