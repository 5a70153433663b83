; A block with a slow call that three branches share: as likely as not, and hardly ever.
declare void @slow(i32)

define void @as_likely(i1 %a, i1 %b, i1 %c) {
first:
  br i1 %a, label %shared, label %second
second:
  br i1 %b, label %shared, label %third
third:
  br i1 %c, label %shared, label %last
shared:
  call void @slow(i32 1)
  br label %last
last:
  ret void
}

define void @hardly_ever(i1 %a, i1 %b, i1 %c) {
first:
  br i1 %a, label %shared, label %second, !prof !0
second:
  br i1 %b, label %shared, label %third, !prof !0
third:
  br i1 %c, label %shared, label %last, !prof !0
shared:
  call void @slow(i32 1)
  br label %last
last:
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 1000000}
