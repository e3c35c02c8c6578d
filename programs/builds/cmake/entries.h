#ifdef __cplusplus
extern "C" {
#endif
void enter(int who);
unsigned long order(void);
#ifdef __cplusplus
}
#endif
