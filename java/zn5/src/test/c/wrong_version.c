/* A library that says it is the native half of zn5 of another version. With -DWRONG_NATIVES it registers a method that
 * the classes do not have, as a library with another set of natives would; with -DFOREIGN it has nothing of zn5 at all.
 */
#include <jni.h>

#if defined(WRONG_NATIVES)
static jint JNICALL nothing(JNIEnv *env, jclass class) {
  (void)env;
  (void)class;
  return 0;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
  static char name[] = "decodeAnotherWay", signature[] = "()I";
  JNINativeMethod method;
  void *env = NULL;
  jclass natives;
  (void)reserved;
  if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_8) != JNI_OK)
    return JNI_ERR;
  natives = (*(JNIEnv *)env)->FindClass((JNIEnv *)env, "org/zn5/Native");
  if (natives == NULL)
    return JNI_ERR;
  method.name = name;
  method.signature = signature;
  method.fnPtr = (void *)nothing;
  return (*(JNIEnv *)env)->RegisterNatives((JNIEnv *)env, natives, &method, 1) == 0 ? JNI_VERSION_1_8 : JNI_ERR;
}
#elif defined(FOREIGN)
int foreign(void);
int foreign(void) {
  return 0;
}
#else
JNIEXPORT jstring JNICALL Java_org_zn5_Native_versionString(JNIEnv *env, jclass class);
JNIEXPORT jstring JNICALL Java_org_zn5_Native_versionString(JNIEnv *env, jclass class) {
  (void)class;
  return (*env)->NewStringUTF(env, "9.8.7");
}
#endif
