// The keywords of Qt's moc, which are macros unless QT_NO_KEYWORDS is defined.
#define signals public
#define slots
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)
