//! Zips as an attacker writes them.

use rawzip::crc32;

/// A zip of stored files with names as given, and a way to change an entry's central and local header.
pub(crate) fn raw(files: &[(&[u8], &[u8])], change: impl Fn(usize, &mut Vec<u8>, &mut Vec<u8>)) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (number, (name, content)) in files.iter().enumerate() {
        let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let name_len = u16::try_from(name.len()).unwrap().to_le_bytes();
        let offset = u32::try_from(out.len()).unwrap().to_le_bytes();
        let mut local = b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        local.extend(crc32(content).to_le_bytes());
        local.extend([len(content), len(content)].concat());
        local.extend(name_len);
        local.extend([0, 0]);
        local.extend(*name);
        let mut central = b"PK\x01\x02\x14\x03\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        central.extend(crc32(content).to_le_bytes());
        central.extend([len(content), len(content)].concat());
        central.extend(name_len);
        central.extend([0; 2 + 2 + 2 + 2]);
        central.extend((0o100_644_u32 << 16).to_le_bytes());
        central.extend(offset);
        central.extend(*name);
        change(number, &mut central, &mut local);
        out.extend(local);
        out.extend(*content);
        directory.extend(central);
    }
    let number = u16::try_from(files.len()).unwrap().to_le_bytes();
    let start = u32::try_from(out.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([number, number].concat());
    out.extend([size, start].concat());
    out.extend([0, 0]);
    out
}

/// Changes nothing.
pub(crate) fn same(_: usize, _: &mut Vec<u8>, _: &mut Vec<u8>) {}
