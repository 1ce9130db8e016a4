//! What the compiler says of a type that cannot be stored in cells.
//!
//! The compiler reads small programs against the library that this test is linked with. Nothing is
//! fetched, and nothing but the diagnostics is used of its output.

use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A program with a field of this type.
fn program(field: &str) -> String {
    format!(
        "use isonomy::protocol::*;\n\
         #[derive(Clone, PartialEq, Eq, Debug, Hash, Cells)]\n\
         pub struct State {{ pub field: {field} }}\n"
    )
}

/// The folder with the libraries that the tests are linked with.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    test.parent().expect("it is in a folder").to_owned()
}

/// The library, as it was built last.
fn library(libraries: &Path) -> PathBuf {
    let files = fs::read_dir(libraries).expect("the folder can be read");
    let is_library = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libisonomy-") && path.extension().is_some_and(|kind| kind == "rlib")
    };
    let built = |path: &PathBuf| -> SystemTime {
        fs::metadata(path).and_then(|of| of.modified()).expect("files have times")
    };
    let found = files.map(|file| file.expect("a file").path()).filter(is_library);
    found.max_by_key(built).expect("the library is beside the tests")
}

/// The errors of a program, as the compiler reports them.
fn errors(name: &str, text: &str) -> Vec<Json> {
    let (libraries, folder) = (libraries(), Path::new(env!("CARGO_TARGET_TMPDIR")));
    let source = folder.join(format!("{name}.rs"));
    fs::write(&source, text).expect("the folder for temporary files can be written to");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(compiler)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=json"])
        .arg(format!("--extern=isonomy={}", library(&libraries).display()))
        .arg(format!("-Ldependency={}", libraries.display()))
        .arg("--out-dir")
        .arg(folder)
        .arg(&source)
        .output()
        .expect("the compiler that has compiled this test");
    let output = String::from_utf8(compiled.stderr).expect("diagnostics are text");
    let all = output.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let errors: Vec<Json> = all.filter(|one| one["level"] == "error").collect();
    assert_eq!(compiled.status.success(), errors.is_empty(), "{output}");
    errors
}

#[test]
fn a_type_with_cells_compiles() {
    assert_eq!(errors("small", &program("Option<[bool; 3]>")), Vec::<Json>::new());
}

#[test]
fn a_type_without_a_fixed_size_names_the_loose_way() {
    let types = [
        ("text", "String", "`String` cannot be stored in cells"),
        ("list", "Vec<u8>", "`Vec<u8>` cannot be stored in cells"),
        (
            "table",
            "std::collections::HashMap<u8, bool>",
            "`HashMap<u8, bool>` cannot be stored in cells",
        ),
        ("inside", "Option<Fifo<String, 3>>", "`String` cannot be stored in cells"),
    ];
    for (name, field, message) in types {
        let errors = errors(name, &program(field));
        let found = errors.iter().find(|one| one["message"] == message);
        let Some(found) = found else { panic!("{field}: {errors:#?}") };
        let texts = |of: &Json, key: &str| -> Vec<String> {
            let all = of.as_array().expect("a list").iter();
            all.filter_map(|one| one[key].as_str().map(str::to_owned)).collect()
        };
        let labels = texts(&found["spans"], "label");
        assert!(labels.iter().any(|one| one == LABEL), "{field}: {labels:#?}");
        let notes = texts(&found["children"], "message");
        for note in NOTES {
            assert!(notes.iter().any(|one| one == note), "{field}: {notes:#?}");
        }
    }
}

const LABEL: &str = "it has no fixed number of cells with a fixed range";
const NOTES: [&str; 2] = [
    "numbers are `bool`, integers of at most 32 bits, or `Ranged<LOW, HIGH>`; collections are `Map`, \
     `Fifo`, `Bag` and arrays; for your own types, `#[derive(Cells)]`",
    "types such as `String`, `Vec` or `HashMap` need the loose way: `check_loose` takes any \
     `Clone + Eq + Hash` state, without symmetry",
];
