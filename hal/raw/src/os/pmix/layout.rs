//! Compares these declarations with the headers by the system's own C compiler.

use core::mem::offset_of;
use std::env;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use super::ffi::*;
use crate::os::private::Scratch;

/// Returns C expressions and their values here.
fn numbers() -> Vec<(String, i64)> {
    let at = |field: &str, ty: &str, offset: usize| (format!("offsetof({ty}, {field})"), offset as i64);
    let mut numbers = vec![
        ("sizeof(pmix_proc_t)".into(), size_of::<Proc>() as i64),
        at("nspace", "pmix_proc_t", offset_of!(Proc, nspace)),
        at("rank", "pmix_proc_t", offset_of!(Proc, rank)),
        ("sizeof(pmix_byte_object_t)".into(), size_of::<ByteObject>() as i64),
        at("bytes", "pmix_byte_object_t", offset_of!(ByteObject, bytes)),
        at("size", "pmix_byte_object_t", offset_of!(ByteObject, size)),
        ("sizeof(pmix_value_t)".into(), size_of::<Value>() as i64),
        ("sizeof(((pmix_value_t *)0)->type)".into(), size_of::<u16>() as i64),
        at("type", "pmix_value_t", offset_of!(Value, type_)),
        at("data", "pmix_value_t", offset_of!(Value, data)),
        ("sizeof(((pmix_value_t *)0)->data)".into(), size_of::<Data>() as i64),
        ("sizeof(pmix_info_t)".into(), size_of::<Info>() as i64),
        at("key", "pmix_info_t", offset_of!(Info, key)),
        at("flags", "pmix_info_t", offset_of!(Info, flags)),
        at("value", "pmix_info_t", offset_of!(Info, value)),
        ("sizeof(pmix_status_t)".into(), size_of::<PmixStatus>() as i64),
        ("sizeof(pmix_scope_t)".into(), size_of::<u8>() as i64),
        ("sizeof(pmix_rank_t)".into(), size_of::<u32>() as i64),
    ];
    for member in ["flag", "integer", "uint32", "bo"] {
        numbers.push(at(&format!("data.{member}"), "pmix_value_t", offset_of!(Value, data)));
    }
    let constants: [(&str, i64); 13] = [
        ("PMIX_SUCCESS", SUCCESS.into()),
        ("PMIX_ERR_UNREACH", ERR_UNREACH.into()),
        ("PMIX_ERR_NOT_FOUND", ERR_NOT_FOUND.into()),
        ("PMIX_OPERATION_SUCCEEDED", OPERATION_SUCCEEDED.into()),
        ("PMIX_RANK_WILDCARD", RANK_WILDCARD.into()),
        ("PMIX_GLOBAL", GLOBAL.into()),
        ("PMIX_BOOL", BOOL.into()),
        ("PMIX_INT", INT.into()),
        ("PMIX_UINT32", UINT32.into()),
        ("PMIX_BYTE_OBJECT", BYTE_OBJECT.into()),
        ("PMIX_MAX_NSLEN + 1", NAMESPACE_BYTES as i64),
        ("PMIX_MAX_KEYLEN + 1", KEY_BYTES as i64),
        ("sizeof(bool)", size_of::<bool>() as i64),
    ];
    numbers.extend(constants.map(|(name, value)| (name.into(), value)));
    numbers
}

fn program() -> String {
    let mut text = "#include <stdio.h>\n#include <stddef.h>\n#include <pmix.h>\n".to_string();
    // The compiler compares these types itself and rejects a difference.
    text += "static const char *(*version)(void) = PMIx_Get_version;\n\
             static const char *(*error_string)(pmix_status_t) = PMIx_Error_string;\n\
             static pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t) = PMIx_Init;\n\
             static pmix_status_t (*finalize)(const pmix_info_t *, size_t) = PMIx_Finalize;\n\
             static pmix_status_t (*put)(pmix_scope_t, const char *, pmix_value_t *) = PMIx_Put;\n\
             static pmix_status_t (*commit)(void) = PMIx_Commit;\n\
             static pmix_status_t (*fence)(const pmix_proc_t *, size_t, const pmix_info_t *, size_t, \
             void (*)(pmix_status_t, void *), void *) = PMIx_Fence_nb;\n\
             static pmix_status_t (*get)(const pmix_proc_t *, const char *, const pmix_info_t *, size_t, \
             pmix_value_t **) = PMIx_Get;\n\
             int main(void) {\n";
    for (expression, _) in numbers() {
        writeln!(text, "printf(\"%s is %lld\\n\", \"{expression}\", (long long)({expression}));").unwrap();
    }
    for (name, _) in keys() {
        writeln!(text, "printf(\"{name} is %s\\n\", {name});").unwrap();
    }
    text + "return 0; }\n"
}

fn keys() -> [(&'static str, &'static str); 4] {
    [
        ("PMIX_JOB_SIZE", JOB_SIZE),
        ("PMIX_LOCAL_SIZE", LOCAL_SIZE),
        ("PMIX_COLLECT_DATA", COLLECT_DATA),
        ("PMIX_TIMEOUT", TIMEOUT),
    ]
}

/// Finds the folder of the headers: that of `cargo xtask mpi`, or the system's.
fn headers() -> Option<PathBuf> {
    let checkout = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout.join("target"), |named| checkout.join(named));
    let multiarch = format!("usr/lib/{}-linux-gnu/pmix2/include", env::consts::ARCH);
    let places = [target.join("mpi/root").join(&multiarch), PathBuf::from("/").join(&multiarch), "/usr/include".into()];
    places.into_iter().find(|folder| folder.join("pmix.h").is_file())
}

#[test]
fn every_struct_function_and_constant_is_what_the_headers_say() {
    let Some(headers) = headers() else {
        println!("skipped: pmix.h is not here; `cargo xtask mpi` fetches it");
        return;
    };
    let folder = Scratch::new("pmix-layout").unwrap();
    let (source, asked) = (folder.join("layout.c"), folder.join("layout"));
    std::fs::write(&source, program()).unwrap();
    // The library itself is not required: the declarations are compared, not linked.
    let compiled = Command::new("cc")
        .args(["-Werror=incompatible-pointer-types", "-Wl,--unresolved-symbols=ignore-all", "-no-pie", "-I"])
        .arg(&headers)
        .arg(&source)
        .arg("-o")
        .arg(&asked)
        .output();
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return println!("skipped: no C compiler: cc: {error}"),
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let status_error = String::from_utf8(Command::new(&asked).output().unwrap().stdout).unwrap();
    let numbers = numbers().into_iter().map(|(expression, value)| format!("{expression} is {value}"));
    let here: Vec<String> = numbers.chain(keys().map(|(name, key)| format!("{name} is {key}"))).collect();
    assert_eq!(status_error.lines().count(), here.len());
    let differ: Vec<String> = here
        .iter()
        .zip(status_error.lines())
        .filter(|(here, there)| here != there)
        .map(|(here, there)| format!("here {here}, but {there}"))
        .collect();
    assert!(differ.is_empty(), "with the headers in {}:\n{}", headers.display(), differ.join("\n"));
}
