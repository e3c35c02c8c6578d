//! Rust's locks, channels and hash maps (whose order is random).
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, mpsc};

fn main() {
    let table = Arc::new(Mutex::new(HashMap::new()));
    let (sender, receiver) = mpsc::channel();
    let gate = Arc::new((Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (1..=3u64)
        .map(|n| {
            let (table, sender, gate) = (table.clone(), sender.clone(), gate.clone());
            std::thread::spawn(move || {
                for i in 0..50u64 {
                    table.lock().unwrap().entry(i).or_insert(n);
                    sender.send(n * 100 + i).unwrap();
                }
                *gate.0.lock().unwrap() += 1;
                gate.1.notify_all();
            })
        })
        .collect();
    drop(sender);
    let mut order = 1469598103934665603u64;
    for message in receiver {
        order = (order ^ message).wrapping_mul(1099511628211);
    }
    let guard = gate.0.lock().unwrap();
    drop(gate.1.wait_while(guard, |arrived| *arrived < 3).unwrap());
    for thread in threads {
        thread.join().unwrap();
    }
    for (key, value) in table.lock().unwrap().iter() {
        order = (order ^ (key * 8 + value)).wrapping_mul(1099511628211);
    }
    println!("order {order:016x}");
}
