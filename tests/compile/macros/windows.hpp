// Macros that windows.h and the headers it includes define, without NOMINMAX and WIN32_LEAN_AND_MEAN. The values of
// `small` and `hyper` are types, from rpcndr.h.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define hyper long long
#define interface struct
#define pascal
#define cdecl
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define STRICT 1
#define DELETE 0x00010000L
#define ERROR 0
#define NO_ERROR 0L
#define TRUE 1
#define FALSE 0
