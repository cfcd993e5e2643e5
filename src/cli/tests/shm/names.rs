//! Fleet names that are already taken, and permissions to attach.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use ludovec::engine::{AutoReset, Error, VectorEnv};
use ludovec::shm::{Fleet, FleetConfig, attach};

use super::processes::{Server, failure, ludovec, path};
use super::{config, fresh_name, light, rules};

/// Creates a file of some kind at the path of a segment.
type Make = fn(&Path);

/// Tries to start a fleet under a taken name; returns its message.
fn refused(name: &str) -> String {
    let (code, said) = failure(&mut ludovec(&["serve", light(), "--name", name, "--num-envs", "4"]));
    assert_eq!(code, 1, "{said}");
    said
}

#[test]
fn a_name_of_something_that_is_no_fleet_is_refused_with_its_owner_and_nothing_is_deleted() {
    let name = fresh_name();
    let place = path(&name);
    let user = fs::metadata("/proc/self").unwrap().uid();
    let things: [(&str, Make); 5] = [
        ("symbolic link", |place| symlink("/no/such/file", place).unwrap()),
        ("file", |place| drop(File::create(place).unwrap())),
        ("file", |place| File::create(place).unwrap().write_all(&[7; 10_000]).unwrap()),
        ("folder", |place| fs::create_dir(place).unwrap()),
        ("symbolic link", |place| symlink("/dev/null", place).unwrap()),
    ];
    for (kind, make) in things {
        make(Path::new(&place));
        let before = fs::symlink_metadata(&place).unwrap();
        let said = refused(&name);
        for word in [&place, kind, &format!("user {user}"), "not a fleet's segment", "another name"] {
            assert!(said.contains(word), "{word}: {said}");
        }
        let after = fs::symlink_metadata(&place).unwrap();
        assert_eq!((before.ino(), before.len()), (after.ino(), after.len()), "{said}");
        if after.is_dir() { fs::remove_dir(&place) } else { fs::remove_file(&place) }.unwrap();
    }
    // Once the file is removed, the name can be used.
    Server::start(&name, light(), &["--num-envs", "4"]);
}

#[test]
fn a_leftover_of_another_user_is_refused_with_its_owner() {
    let mut server = Server::start(&fresh_name(), light(), &["--num-envs", "4", "--mode", "0666"]);
    server.kill();
    let mut again = ludovec(&["serve", light(), "--name", &server.name, "--num-envs", "4"]);
    // Root may remove every file, so a process of another user is started, which the folder's sticky bit stops.
    if fs::metadata("/proc/self").unwrap().uid() != 0 || again.uid(65534).spawn().map(kill).is_err() {
        return;
    }
    let (code, said) = failure(&mut again);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("user 0") && said.contains("cannot be removed"), "{said}");
    assert!(Path::new(&path(&server.name)).exists());
    fs::set_permissions(path(&server.name), PermissionsExt::from_mode(0o600)).unwrap();
    let (code, said) = failure(&mut again);
    assert!(code == 1 && said.contains("user 0") && said.contains("cannot be opened"), "{said}");
}

fn kill(mut child: std::process::Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn only_modes_that_let_a_client_read_and_write_are_accepted() {
    let start = |mode| {
        let batch = config(4, AutoReset::SameStep);
        let name = fresh_name();
        Fleet::start(rules(light()), FleetConfig { name: name.clone(), blocks: None, mode, batch })
            .map(|fleet| (fleet, name))
    };
    for mode in [0o600, 0o660, 0o666] {
        let (_fleet, name) = start(mode).unwrap();
        assert_eq!(fs::metadata(path(&name)).unwrap().mode() & 0o7777, mode);
        attach(&name, None).unwrap().step_sampled().unwrap();
    }
    for mode in [0, 0o400, 0o200, 0o606, 0o620, 0o640, 0o622, 0o644, 0o662, 0o664, 0o777, 0o1600, 0o4666] {
        let refused = start(mode).map(drop).unwrap_err();
        assert!(
            matches!(&refused, Error::InvalidConfig(what) if what.contains("0600, 0660 and 0666")),
            "{refused}"
        );
    }
}
