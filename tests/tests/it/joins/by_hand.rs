//! The commands that pages show for what is done by hand, run on a machine: 手工添加 and 准备镜像. Vitest keeps them in
//! `*-commands.snap`, as the pages show them, so neither can change without the other.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestRegistry;
use tests::{Server, Setup, root, until};

use super::machine::Machine;
use super::words;

const PATIENCE: Duration = Duration::from_secs(30);

/// Steps that the machine can't take, and why.
const NOT_TAKEN: &[(&str, &str)] = &[
    ("安装 Docker", "the machine has it, and reaches no mirror"),
    ("挂载网盘", "there is no NFS server"),
    ("显卡", "there is no NVIDIA toolkit"),
    ("放行端口", "there is no firewall"),
];

/// Commands that need more than the machine has, by their beginning, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("docker pull", "it reaches no registry; the images are made on it"),
    ("apt-get install -y debootstrap", "it reaches no mirror"),
    ("debootstrap", "likewise; the folder is made by hand"),
    ("docker run -d --restart=always --name registry", "the registry is Debian's docker-registry, beside the machine"),
];

/// The steps of a page: title and commands.
fn steps(file: &str) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("web/src/features").join(file)).expect("the commands");
    let steps: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let commands = |step: &Value| {
        let commands = step["commands"].as_array().expect("commands");
        commands.iter().map(|command| words(command).to_owned()).collect()
    };
    steps.iter().map(|step| (words(&step["title"]).to_owned(), commands(step))).collect()
}

fn is_listed(list: &[(&str, &str)], text: &str) -> bool {
    list.iter().any(|(known, _)| text.starts_with(known))
}

/// Adds settings to Docker's, as the page says.
fn configure(machine: &Machine, settings: &str) {
    let mut kept: Value = serde_json::from_str(&machine.must("cat /etc/docker/daemon.json")).expect("JSON");
    let settings: Value = serde_json::from_str(settings).expect("JSON");
    for (name, value) in settings.as_object().expect("settings") {
        kept[name.as_str()] = value.clone();
    }
    let file = machine.take("daemon.json", &kept.to_string());
    machine.must(&format!("cp {file} /etc/docker/daemon.json"));
}

#[tokio::test]
async fn the_commands_by_hand_add_a_server() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let machine = Machine::boot(3).await;
    let home = machine.folder("home");
    // The machine has a port of its own, and neither systemd nor a containerd beside Docker's.
    let adapted = |command: &str| {
        command
            .replace(":2376", &format!(":{}", machine.port))
            .replace("fd://", "unix:///var/run/docker.sock")
            .replace("--containerd=/run/containerd/containerd.sock", "--pidfile /run/docker.pid")
    };
    let in_folder = |command: &str| {
        format!("export HOME={home}; [ ! -d ~/yunlab-certs ] || cd ~/yunlab-certs; set -e\n{}", adapted(command))
    };
    for (title, commands) in steps("joins/manual-commands.snap") {
        match title.as_str() {
            title if is_listed(NOT_TAKEN, title) => {}
            "修改 /etc/docker/daemon.json" => configure(&machine, &adapted(&commands[0])),
            "试一下" => {
                assert!(!machine.run(&in_folder(&commands[0])).status.success(), "the engine is for its client alone");
                assert_eq!(machine.must(&in_folder(&commands[1])), "OK");
            }
            _ => {
                for command in &commands {
                    machine.must(&in_folder(command));
                }
            }
        }
    }
    let file = |name: &str| machine.must(&format!("cat {home}/yunlab-certs/{name}"));
    let form = json!({ "name": "gpu03", "endpoint": format!("tcp://{}:{}", machine.address, machine.port),
        "publicHost": machine.address,
        "tls": { "ca": file("ca.pem"), "cert": file("client.pem"), "key": file("client-key.pem") } });
    let added = admin.post("/api/servers", form).await.expect(201);
    let path = format!("/api/servers/{}", words(&added["id"]));
    until("the server to be online", PATIENCE, async || {
        (admin.get(&path).await.json()["state"] == "online").then_some(())
    })
    .await;
}

/// Small images with the same names replace those in the commands.
#[tokio::test]
async fn images_are_prepared_as_the_page_says() {
    let (machine, registry) = (Machine::boot(4).await, TestRegistry::start());
    let (folder, system) = (machine.folder("work"), machine.folder("rootfs"));
    let adapted = |command: &str| {
        command
            .replace("10.0.0.5:5000", &registry.address())
            .replace("/tmp/rootfs", &system)
            .replace("加速站的地址", "mirror.lab.invalid")
    };
    let at = |command: &str| format!("export HOME={folder}; cd {folder}; {command}");
    machine.must(&format!("echo lab >{system}/name"));
    let cuda = "nvidia/cuda:12.8.1-cudnn-devel-ubuntu24.04";
    for image in [cuda, "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime"] {
        machine.must(&at(&format!("tar -C {system} -c . | docker import - {image}")));
    }
    for (_, commands) in steps("images/prepare-commands.snap") {
        for command in commands {
            let command = adapted(&command);
            if command.starts_with('{') {
                configure(&machine, &command);
                machine.must("systemctl reload docker");
                continue;
            }
            for line in command.lines().filter(|line| !is_listed(NOT_RUN, line)) {
                if line.ends_with("docker load") {
                    machine.must(&at(&format!("docker rmi {cuda}")));
                }
                machine.must(&at(line));
            }
        }
    }
    for image in [cuda.to_owned(), "lab/debian:13".to_owned(), format!("{}/lab/pytorch:2.9", registry.address())] {
        machine.must(&at(&format!("docker image inspect {image}")));
    }
    let catalogue = machine.must(&format!("curl -sf http://{}/v2/lab/pytorch/tags/list", registry.address()));
    assert!(catalogue.contains("2.9"), "{catalogue}");
    assert!(!machine.run(&format!("test -e {system}")).status.success(), "the folder is removed at the end");
}
