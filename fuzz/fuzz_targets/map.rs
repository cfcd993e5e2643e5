#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    ludovec_fuzz::map(data);
});
