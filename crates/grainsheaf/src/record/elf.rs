//! Reads the dynamic section of executables and libraries.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use object::read::elf::{Dyn as _, ElfFile64, FileHeader, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, elf};

/// Executables above this size are not read whole; none that matters is larger.
const MAX_BYTES: u64 = 4 << 30;

/// The dynamic section of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Dynamic {
    /// Names of the libraries it needs, in order.
    pub(crate) needed: Vec<String>,
    /// Folders it asks to be searched, `$ORIGIN` resolved.
    pub(crate) search: Vec<PathBuf>,
    /// Whether it calls LLVM's function for `ordered depend(sink: …)`.
    pub(crate) has_doacross: bool,
}

/// What kind of file was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Binary {
    /// An executable or library with a dynamic section.
    Dynamic(Dynamic),
    /// An executable without one: nothing can be loaded into it.
    Static,
    /// No 64-bit ELF file of this machine's kind.
    Other,
}

/// Reads the dynamic section of `path`; unreadable and damaged files are [`Binary::Other`].
pub(crate) fn inspect(path: &Path) -> Binary {
    let Some(bytes) = read_elf(path) else {
        return Binary::Other;
    };
    let origin = path.canonicalize().ok();
    let origin = origin
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."));
    parse(&bytes, origin).unwrap_or(Binary::Other)
}

/// The whole file, when it begins as an ELF file does.
fn read_elf(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    let mut magic = [0; 4];
    file.read_exact(&mut magic).ok()?;
    if magic != elf::ELFMAG {
        return None;
    }
    let mut bytes = magic.to_vec();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn parse(bytes: &[u8], origin: &Path) -> Option<Binary> {
    let file = ElfFile64::<Endianness>::parse(bytes).ok()?;
    let (header, endian) = (file.elf_header(), file.endian());
    let headers = header.program_headers(endian, bytes).ok()?;
    // `-static-pie` has a dynamic section for its own relocation, but no program interpreter.
    let is_executable = header.e_type(endian) == elf::ET_EXEC || header.e_entry(endian) != 0;
    let has_interpreter = headers
        .iter()
        .any(|part| part.p_type(endian) == elf::PT_INTERP);
    let section = headers
        .iter()
        .find_map(|part| part.dynamic(endian, bytes).ok().flatten());
    let Some(entries) = section else {
        return Some(Binary::Static);
    };

    let text_at = |tag: elf::DynamicTag| {
        entries
            .iter()
            .find(|entry| entry.tag(endian) == tag)
            .map(|entry| entry.val(endian))
    };
    let strings = string_table(headers, endian, bytes, text_at(elf::DT_STRTAB)?)?;
    let text = |offset: u64| {
        let rest = strings.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        String::from_utf8(rest.get(..end)?.to_vec()).ok()
    };
    let mut dynamic = Dynamic {
        has_doacross: file
            .dynamic_symbols()
            .any(|symbol| symbol.is_undefined() && symbol.name() == Ok("__kmpc_doacross_wait")),
        ..Dynamic::default()
    };
    for entry in entries {
        let tag = entry.tag(endian);
        if tag == elf::DT_NEEDED {
            dynamic.needed.extend(text(entry.val(endian)));
        } else if tag == elf::DT_RPATH || tag == elf::DT_RUNPATH {
            dynamic.search.extend(folders(
                &text(entry.val(endian)).unwrap_or_default(),
                origin,
            ));
        }
    }
    let is_static = is_executable && !has_interpreter && dynamic.needed.is_empty();
    Some(if is_static {
        Binary::Static
    } else {
        Binary::Dynamic(dynamic)
    })
}

/// The bytes of the file from the string table's address on.
fn string_table<'a, P: object::read::elf::ProgramHeader<Endian = Endianness>>(
    headers: &[P],
    endian: Endianness,
    bytes: &'a [u8],
    address: u64,
) -> Option<&'a [u8]> {
    headers
        .iter()
        .filter(|part| part.p_type(endian) == elf::PT_LOAD)
        .find_map(|part| {
            let start: u64 = part.p_vaddr(endian).into();
            let size: u64 = part.p_filesz(endian).into();
            let offset: u64 = part.p_offset(endian).into();
            let inside = address.checked_sub(start).filter(|inside| *inside < size)?;
            bytes.get(usize::try_from(offset.checked_add(inside)?).ok()?..)
        })
}

fn folders(list: &str, origin: &Path) -> Vec<PathBuf> {
    let origin = origin.to_string_lossy();
    list.split(':')
        .filter(|folder| !folder.is_empty())
        .map(|folder| {
            folder
                .replace("${ORIGIN}", &origin)
                .replace("$ORIGIN", &origin)
                .into()
        })
        .collect()
}
