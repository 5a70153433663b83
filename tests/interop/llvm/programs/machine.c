// SPDX-License-Identifier: BSL-1.0
// A scanner written with gotos and a bytecode interpreter: switches within loops, cases that fall into each other.
#include <stdio.h>

static int scan(const char* s, int* tokens) {
  int hash = 17;
start:
  switch (*s) {
    case ' ':
      ++s;
      goto start;
    case '-':
    case '+':
      hash = hash * 31 + *s++;
      if (*s < '0' || *s > '9') goto symbol;
      // fall through
    case '0':
    case '1':
    case '2':
    case '3':
      goto number;
    case '"':
      ++s;
      goto text;
    case 0:
      goto end;
    default:
      if (*s >= 'a' && *s <= 'z') goto name;
      goto symbol;
  }
number:
  while (*s >= '0' && *s <= '9') hash = hash * 7 + *s++;
  if (*s == '.') {
    ++s;
    goto number;
  }
  if (*s >= 'a' && *s <= 'z') goto name;
  ++*tokens;
  goto start;
name:
  hash ^= *s++;
  if ((*s >= 'a' && *s <= 'z') || *s == '_') goto name;
  ++*tokens;
  if (*s == '"') goto start;
  if (*s) goto start;
  goto end;
text:
  if (*s == 0) return -hash;
  if (*s == '\\') {
    ++s;
    if (*s == 0) return -hash - 1;
  } else if (*s == '"') {
    ++s;
    ++*tokens;
    goto start;
  }
  hash += *s++;
  goto text;
symbol:
  if (*s == 0) goto end;
  hash = hash * 3 + *s++;
  ++*tokens;
  goto start;
end:
  return hash;
}

enum { push, add, multiply, jump_if, copy_top, stop, less };
static int execute(const int* code, int x) {
  int stack[16], top = 0, fuel = 400;
  stack[0] = x;
  for (const int* at = code;;) {
    if (--fuel == 0) return -1;
    switch (*at++) {
      case push:
        if (top == 15) return -2;
        stack[++top] = *at++;
        continue;
      case multiply:
        stack[top - 1] *= stack[top];
        goto drop;
      case less:
        stack[top - 1] = stack[top - 1] < stack[top];
        goto drop;
      case add:
        stack[top - 1] += stack[top];
      drop:
        --top;
        break;
      case jump_if:
        if (stack[top--]) at += *at;
        ++at;
        continue;
      case copy_top:
        stack[top + 1] = stack[top];
        ++top;
        break;
      case stop:
        return stack[top];
    }
    if (stack[top] > 100000) return stack[top] % 1000;
  }
}

int main(void) {
  const char* lines[] = {"a b c",    "x1 + 22.5 -3", "\"text\\\" more\" name_a", "\"open", "  - -- +1a", "",
                         "\"open\\", "2 3 4z\"q\"",  "?!?",                      "abc"};
  int tokens = 0;
  for (unsigned k = 0; k < sizeof lines / sizeof *lines; ++k) printf("%d %d\n", scan(lines[k], &tokens), tokens);
  const int code[] = {push, 3, multiply, push, 1, add, copy_top, push, 5000, less, jump_if, -12, stop};
  const int bad[] = {push, 1, push, 1, jump_if, -6};
  for (int x = 0; x < 20; ++x) printf("%d %d\n", execute(code, x), execute(bad, x));
  return tokens;
}
