void enter(int who);
unsigned long order(void);
