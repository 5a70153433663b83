; SPDX-License-Identifier: BSL-1.0
; Compiled from split_merge.cu by snapshot.sh: clang 14.0.6, -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 --cuda-path=/nowhere -nocudainc -nocudalib -fdeclspec -O3 -mllvm -sink-common-insts=false -S -emit-llvm -include cuda.hpp
source_filename = "split_merge.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.cell = type <{ i32 (...)**, i32, [4 x i8] }>
%struct.adder = type { %struct.cell.base, [4 x i8] }
%struct.cell.base = type <{ i32 (...)**, i32 }>
%struct.mixer = type { %struct.cell.base, [4 x i8] }
%struct.scaler = type { %struct.cell.base, [4 x i8] }
%struct.filter = type { %struct.cell.base, [4 x i8] }
%struct.constant = type { %struct.cell.base, [4 x i8] }
%struct.counter = type { %struct.cell.base, [4 x i8] }

$_ZNK5adder4nextEj = comdat any

$_ZNK5mixer4nextEj = comdat any

$_ZNK6scaler4nextEj = comdat any

$_ZNK6filter4nextEj = comdat any

$_ZNK8constant4nextEj = comdat any

$_ZNK7counter4nextEj = comdat any

$_ZTV5adder = comdat any

$_ZTV5mixer = comdat any

$_ZTV6scaler = comdat any

$_ZTV6filter = comdat any

$_ZTV8constant = comdat any

$_ZTV7counter = comdat any

@_ZTV5adder = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.adder*, i32)* @_ZNK5adder4nextEj to i8*)] }, comdat, align 8
@_ZTV5mixer = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.mixer*, i32)* @_ZNK5mixer4nextEj to i8*)] }, comdat, align 8
@_ZTV6scaler = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.scaler*, i32)* @_ZNK6scaler4nextEj to i8*)] }, comdat, align 8
@_ZTV6filter = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.filter*, i32)* @_ZNK6filter4nextEj to i8*)] }, comdat, align 8
@_ZTV8constant = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.constant*, i32)* @_ZNK8constant4nextEj to i8*)] }, comdat, align 8
@_ZTV7counter = linkonce_odr dso_local unnamed_addr constant { [3 x i8*] } { [3 x i8*] [i8* null, i8* null, i8* bitcast (i32 (%struct.counter*, i32)* @_ZNK7counter4nextEj to i8*)] }, comdat, align 8

define dso_local noundef i32 @_Z7stretchjj(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %4, label %6

4:                                                ; preds = %6, %2
  %5 = phi i32 [ %0, %2 ], [ %13, %6 ]
  ret i32 %5

6:                                                ; preds = %2, %6
  %7 = phi i32 [ %14, %6 ], [ 0, %2 ]
  %8 = phi i32 [ %13, %6 ], [ %0, %2 ]
  %9 = lshr i32 %8, 15
  %10 = xor i32 %9, %8
  %11 = mul i32 %10, -2048144777
  %12 = lshr i32 %11, 13
  %13 = xor i32 %12, %11
  %14 = add nuw i32 %7, 1
  %15 = icmp eq i32 %14, %1
  br i1 %15, label %4, label %6, !llvm.loop !5
}

declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #1

declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #1

define dso_local void @split_merge(i32* nocapture noundef readonly %0, i32* nocapture noundef readonly %1, i32* nocapture noundef writeonly %2, i32 noundef %3) local_unnamed_addr #2 {
  %5 = alloca [16 x i8], align 8
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #7
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #7
  %8 = mul i32 %6, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #7
  %10 = add i32 %8, %9
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds i32, i32* %1, i64 %11
  %13 = load i32, i32* %12, align 4, !tbaa !8
  %14 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 0
  call void @llvm.lifetime.start.p0i8(i64 16, i8* nonnull %14) #7
  %15 = getelementptr inbounds i32, i32* %0, i64 %11
  %16 = load i32, i32* %15, align 4, !tbaa !8
  switch i32 %16, label %37 [
    i32 0, label %17
    i32 1, label %21
    i32 2, label %25
    i32 3, label %29
    i32 4, label %33
  ]

17:                                               ; preds = %4
  %18 = bitcast [16 x i8]* %5 to i32 (...)***
  %19 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %20 = bitcast i8* %19 to i32*
  store i32 %13, i32* %20, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV5adder, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %18, align 8, !tbaa !14
  br label %41

21:                                               ; preds = %4
  %22 = bitcast [16 x i8]* %5 to i32 (...)***
  %23 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %24 = bitcast i8* %23 to i32*
  store i32 %13, i32* %24, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV5mixer, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %22, align 8, !tbaa !14
  br label %41

25:                                               ; preds = %4
  %26 = bitcast [16 x i8]* %5 to i32 (...)***
  %27 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %28 = bitcast i8* %27 to i32*
  store i32 %13, i32* %28, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV6scaler, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %26, align 8, !tbaa !14
  br label %41

29:                                               ; preds = %4
  %30 = bitcast [16 x i8]* %5 to i32 (...)***
  %31 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %32 = bitcast i8* %31 to i32*
  store i32 %13, i32* %32, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV6filter, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %30, align 8, !tbaa !14
  br label %41

33:                                               ; preds = %4
  %34 = bitcast [16 x i8]* %5 to i32 (...)***
  %35 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %36 = bitcast i8* %35 to i32*
  store i32 %13, i32* %36, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV8constant, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %34, align 8, !tbaa !14
  br label %41

37:                                               ; preds = %4
  %38 = bitcast [16 x i8]* %5 to i32 (...)***
  %39 = getelementptr inbounds [16 x i8], [16 x i8]* %5, i64 0, i64 8
  %40 = bitcast i8* %39 to i32*
  store i32 %13, i32* %40, align 8, !tbaa !12
  store i32 (...)** bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, { [3 x i8*] }* @_ZTV7counter, i64 0, inrange i32 0, i64 2) to i32 (...)**), i32 (...)*** %38, align 8, !tbaa !14
  br label %41

41:                                               ; preds = %37, %33, %29, %25, %21, %17
  %42 = bitcast [16 x i8]* %5 to %struct.cell*
  %43 = call %struct.cell* asm sideeffect "", "=l,0,~{memory}"(%struct.cell* nonnull %42) #8
  %44 = icmp eq i32 %3, 0
  br i1 %44, label %47, label %45

45:                                               ; preds = %41
  %46 = bitcast %struct.cell* %43 to i32 (%struct.cell*, i32)***
  br label %50

47:                                               ; preds = %50, %41
  %48 = phi i32 [ %10, %41 ], [ %57, %50 ]
  %49 = getelementptr inbounds i32, i32* %2, i64 %11
  store i32 %48, i32* %49, align 4, !tbaa !8
  call void @llvm.lifetime.end.p0i8(i64 16, i8* nonnull %14) #7
  ret void

50:                                               ; preds = %45, %50
  %51 = phi i32 [ 0, %45 ], [ %58, %50 ]
  %52 = phi i32 [ %10, %45 ], [ %57, %50 ]
  %53 = add i32 %51, %52
  %54 = load i32 (%struct.cell*, i32)**, i32 (%struct.cell*, i32)*** %46, align 8, !tbaa !14
  %55 = load i32 (%struct.cell*, i32)*, i32 (%struct.cell*, i32)** %54, align 8
  %56 = call noundef i32 %55(%struct.cell* noundef nonnull align 8 dereferenceable(12) %43, i32 noundef %53) #8
  %57 = add i32 %56, %52
  %58 = add nuw i32 %51, 1
  %59 = icmp eq i32 %58, %3
  br i1 %59, label %47, label %50, !llvm.loop !17
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

define linkonce_odr dso_local noundef i32 @_ZNK5adder4nextEj(%struct.adder* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #4 comdat align 2 {
  %3 = getelementptr inbounds %struct.adder, %struct.adder* %0, i64 0, i32 0, i32 1
  %4 = load i32, i32* %3, align 8, !tbaa !12
  %5 = add i32 %4, %1
  %6 = tail call noundef i32 @_Z7stretchjj(i32 noundef %5, i32 noundef 8) #7
  %7 = add i32 %6, 1
  ret i32 %7
}

define linkonce_odr dso_local noundef i32 @_ZNK5mixer4nextEj(%struct.mixer* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #4 comdat align 2 {
  %3 = getelementptr inbounds %struct.mixer, %struct.mixer* %0, i64 0, i32 0, i32 1
  %4 = load i32, i32* %3, align 8, !tbaa !12
  %5 = xor i32 %4, %1
  %6 = tail call noundef i32 @_Z7stretchjj(i32 noundef %5, i32 noundef 8) #7
  %7 = mul i32 %6, 3
  ret i32 %7
}

define linkonce_odr dso_local noundef i32 @_ZNK6scaler4nextEj(%struct.scaler* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #4 comdat align 2 {
  %3 = getelementptr inbounds %struct.scaler, %struct.scaler* %0, i64 0, i32 0, i32 1
  %4 = load i32, i32* %3, align 8, !tbaa !12
  %5 = or i32 %4, 1
  %6 = mul i32 %5, %1
  %7 = tail call noundef i32 @_Z7stretchjj(i32 noundef %6, i32 noundef 8) #7
  %8 = xor i32 %7, -1
  ret i32 %8
}

define linkonce_odr dso_local noundef i32 @_ZNK6filter4nextEj(%struct.filter* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #4 comdat align 2 {
  %3 = and i32 %1, 3
  %4 = icmp eq i32 %3, 0
  %5 = getelementptr inbounds %struct.filter, %struct.filter* %0, i64 0, i32 0, i32 1
  %6 = load i32, i32* %5, align 8, !tbaa !12
  br i1 %4, label %11, label %7

7:                                                ; preds = %2
  %8 = sub i32 %1, %6
  %9 = tail call noundef i32 @_Z7stretchjj(i32 noundef %8, i32 noundef 8) #7
  %10 = lshr i32 %9, 1
  br label %11

11:                                               ; preds = %2, %7
  %12 = phi i32 [ %10, %7 ], [ %6, %2 ]
  ret i32 %12
}

define linkonce_odr dso_local noundef i32 @_ZNK8constant4nextEj(%struct.constant* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #5 comdat align 2 {
  %3 = getelementptr inbounds %struct.constant, %struct.constant* %0, i64 0, i32 0, i32 1
  %4 = load i32, i32* %3, align 8, !tbaa !12
  %5 = and i32 %1, 15
  %6 = add i32 %4, %5
  ret i32 %6
}

define linkonce_odr dso_local noundef i32 @_ZNK7counter4nextEj(%struct.counter* noundef nonnull align 8 dereferenceable(12) %0, i32 noundef %1) unnamed_addr #5 comdat align 2 {
  %3 = tail call i32 @llvm.ctpop.i32(i32 %1) #7, !range !18
  %4 = getelementptr inbounds %struct.counter, %struct.counter* %0, i64 0, i32 0, i32 1
  %5 = load i32, i32* %4, align 8, !tbaa !12
  %6 = add i32 %5, %3
  ret i32 %6
}

declare i32 @llvm.ctpop.i32(i32) #6

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind readnone willreturn }
attributes #1 = { argmemonly mustprogress nofree nosync nounwind willreturn }
attributes #2 = { convergent norecurse nounwind }
attributes #3 = { nofree nosync nounwind readnone speculatable }
attributes #4 = { convergent mustprogress nounwind }
attributes #5 = { mustprogress nounwind }
attributes #6 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #7 = { nounwind }
attributes #8 = { convergent nounwind }

!nvvm.annotations = !{!0}

!0 = !{void (i32*, i32*, i32*, i32)* @split_merge, !"kernel", i32 1}
!5 = distinct !{!5, !6, !7}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{!"llvm.loop.unroll.count", i32 1}
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C++ TBAA"}
!12 = !{!13, !9, i64 8}
!13 = !{!"_ZTS4cell", !9, i64 8}
!14 = !{!15, !15, i64 0}
!15 = !{!"vtable pointer", !11, i64 0}
!17 = distinct !{!17, !6, !7}
!18 = !{i32 0, i32 33}
