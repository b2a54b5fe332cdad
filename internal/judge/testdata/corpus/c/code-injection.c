#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <Python.h>
#include <duktape.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static const char *PRELUDE = "function double(x) return 2 * x end";

int run_lua(lua_State *L, char **argv)
{
    // ok: code-injection
    if (luaL_dostring(L, PRELUDE) != LUA_OK)
        return -1;
    // ruleid: code-injection
    return luaL_dostring(L, argv[1]);
}

int run_python(void)
{
    const char *source = getenv("QUERY_STRING");

    Py_Initialize();
    // ok: code-injection
    PyRun_SimpleString("import json");
    // ruleid: code-injection
    return PyRun_SimpleString(source);
}

void run_js(duk_context *ctx)
{
    char line[1024];

    if (fgets(line, sizeof(line), stdin) == NULL)
        return;
    // ruleid: code-injection
    duk_eval_string(ctx, line);
}

void run_js_constant(duk_context *ctx)
{
    // ok: code-injection
    duk_eval_string(ctx, "var total = 0;");
}

void *load_plugin(int argc, char **argv)
{
    if (argc < 3)
        return NULL;
    // ruleid: code-injection
    return dlopen(argv[2], RTLD_NOW);
}

void *load_libc(void)
{
    // ok: code-injection
    return dlopen("libm.so.6", RTLD_LAZY);
}

void *load_codec(void)
{
    const char *path = getenv("HTTP_X_CODEC");

    // ruleid: code-injection
    return dlopen(
        path,
        RTLD_NOW | RTLD_LOCAL);
}

int load_script(lua_State *L)
{
    // ok: code-injection
    return luaL_dofile(L, "/usr/share/sheet/init.lua");
}

int load_posted(lua_State *L, const char *argv[])
{
    // ruleid: code-injection
    return luaL_dofile(L, argv[1]);
}

void usage(void)
{
    // ok: code-injection
    puts("luaL_dostring(L, argv[1]) runs the first argument as a script.");
}
